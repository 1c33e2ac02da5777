import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';
import type { Appointment } from '../domain/appointment';
import { DAY_MS } from '../domain/local-days';
import { APPOINTMENT } from './appointment.repository';
import { IS_TRANSPARENT } from './transparent-calendars';

/** Query for appointments that may conflict. */
export interface BusyQuery {
  /** Users and resources. */
  readonly entities: readonly number[];
  /** Instants: what only touches the range does not count. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Left out, with its whole series; 0 or less for a new one. */
  readonly self: number;
  readonly selfSeries: number;
}

/** Appointments that keep users and resources busy. */
@Injectable()
export class BusyRepository {
  /**
   * Makes bookings of these resources wait for each other from the next statement until the end of the transaction. Why that suffices against
   * double bookings: everything that may book a resource (new, update, copy, move) takes the locks of all resources it
   * would book before it looks for conflicts, and the server itself gives them up only with the end of the transaction,
   * also when a process dies. So of two bookings of a resource the second looks after the first was committed or undone,
   * and with `read committed` (the isolation of all writes) that look sees all committed rows: it finds the first one. A
   * table constraint could not do it: occurrences of series have no rows. The locks are taken in the order of the ids, so
   * that two bookings of several resources do not wait for each other in a circle. They are shared by all services of
   * the database server: a foreign lock with the same numbers makes a booking wait, it never lets one through.
   */
  lockResources(tx: Transaction, resources: readonly number[]): void {
    if (resources.length === 0) return;
    tx.enqueue(
      `select pg_advisory_xact_lock($1, r.id) from (select id from unnest($2::int[]) as u (id) order by id) r`,
      resources,
    );
  }

  /**
   * Opaque appointments that one of the entities attends and has not declined: single ones in the range, series and floating
   * times in it or within a day of it. The ids are looked up first, as an array: joined, a plan that was made while the
   * tables were empty would look them up for every appointment of the context.
   */
  listBusyAppointments(db: Reader, question: BusyQuery): Promise<Appointment[]> {
    return db.objects<Appointment>(
      `select ${APPOINTMENT} from appointment a
       where a.context_id = $1 and a.shown_as <> 4 and a.id <> $5 and coalesce(a.series_id, 0) <> $6
         and (a.is_series or a.floating or a.end_ms > $3 and a.start_ms < $4)
         and a.id = any(array(
           select t.appointment_id from attendee t
           where t.context_id = $1 and t.type in (1, 3) and t.entity = any($2::int[]) and not t.hidden and t.confirm <> 2
             and t.range_end_ms >= $3 - ${DAY_MS} and t.start_ms <= $4 + ${DAY_MS}))
       order by a.start_ms, a.id`,
      question.entities,
      question.fromMs,
      question.toMs,
      question.self,
      // A single appointment has no series: 0 would leave out all other single ones.
      question.selfSeries === 0 ? -1 : question.selfSeries,
    );
  }

  /** Those of some calendars that are transparent for scheduling: their events keep no user busy. */
  async listTransparentCalendars(db: Reader, folderIds: readonly number[]): Promise<Set<number>> {
    const rows = await db.rows(
      `select f.id from folder f where f.context_id = $1 and f.id = any($2::int[]) and ${IS_TRANSPARENT}`,
      folderIds,
    );
    return new Set(rows.map(([id]) => id as number));
  }
}
