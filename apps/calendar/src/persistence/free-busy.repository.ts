import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';
import type { Appointment } from '../domain/appointment';
import type { Range } from '../domain/range';
import { APPOINTMENT } from './appointment.repository';
import { isKeptBusy } from './transparent-calendars';

/** Query for the busy time of a user or resource. */
export interface FreeBusyQuery {
  /** 1 user, 3 resource. */
  readonly type: number;
  readonly entity: number;
  readonly range: Range;
  readonly limit: number;
}

/** Appointments that keep a user or a resource busy. */
@Injectable()
export class FreeBusyRepository {
  /**
   * Opaque appointments which the user or resource attends and has not declined, near the range: series whose span
   * touches it are among them. Private ones of users stay out, as they do for conflicts,
   * and so do those in calendars that are transparent for scheduling.
   */
  listBusyAppointments(db: Reader, { type, entity, range, limit }: FreeBusyQuery): Promise<Appointment[]> {
    return db.objects<Appointment>(
      `select ${APPOINTMENT} from attendee b join appointment a on a.context_id = $1 and a.id = b.appointment_id
       where b.context_id = $1 and b.type in (1, 3) and b.type = $2 and b.entity = $3 and not b.hidden and b.confirm <> 2
         and b.range_end_ms >= least($4::bigint, $6::bigint) and b.start_ms < greatest($5::bigint, $7::bigint)
         and (a.is_series or a.start_ms < case when a.floating then $7::bigint else $5::bigint end
           and (a.end_ms > case when a.floating then $6::bigint else $4::bigint end
             or a.start_ms >= case when a.floating then $6::bigint else $4::bigint end))
         and a.shown_as <> 4 and (a.classification < 2 or $2 = 3) and ${isKeptBusy('b')}
       order by a.start_ms, a.id limit $8`,
      type,
      entity,
      range.fromMs,
      range.toMs,
      range.localFromMs,
      range.localToMs,
      limit,
    );
  }
}
