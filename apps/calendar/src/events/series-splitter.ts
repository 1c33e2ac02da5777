import { CalendarErrors, type UserPrincipal } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import type { AppointmentTarget } from '../appointments/appointment-target';
import { AppointmentWriter, type ChangedAppointment } from '../appointments/appointment-writer';
import type { Appointment } from '../domain/appointment';
import { toStore } from '../domain/new-appointment';
import { isMereAttendee } from '../domain/organizer';
import type { OccurrenceName } from '../domain/series';
import type { ScheduledChanges } from '../scheduling/outgoing/scheduling-outbox';
import { splitSeries } from './event-split';

/** A series whose earlier part was stored apart. */
export interface StoredSplit {
  readonly created: readonly Appointment[];
  readonly changed: readonly ChangedAppointment[];
  /** The later part, which kept the id. */
  readonly target: AppointmentTarget;
}

/** Stores both parts of series that are split. */
@Injectable()
export class SeriesSplitter {
  constructor(private readonly writer: AppointmentWriter) {}

  /** Splits a series before an occurrence; undefined when nothing lies before it. CAL-4063, CAL-4038. */
  async splitStored(
    tx: Transaction,
    user: UserPrincipal,
    target: AppointmentTarget,
    name: OccurrenceName,
    maxAppointments: number,
  ): Promise<StoredSplit | undefined> {
    const split = splitSeries(target.appointment, target.exceptions, name);
    if (!split) return undefined;
    if (isMereAttendee(target.appointment, target)) throw CalendarErrors.notOrganizer();
    const first = await this.writer.writeChanges(tx, user.userId, {
      created: [toStore(split.detached)],
      filesOf: target.appointment.id,
      maxAppointments,
    });
    const [detached] = first.created;
    const moved = split.detachedExceptions.map((before) => ({
      before,
      after: { ...before, seriesId: detached!.id, uid: detached!.uid },
    }));
    const { changed } = await this.writer.writeChanges(tx, user.userId, {
      changed: [{ before: target.appointment, after: split.rest }, ...moved, ...split.restExceptions],
    });
    const rest = changed[0]!.after;
    return {
      created: first.created,
      changed: [{ before: target.appointment, after: rest }, ...changed.slice(1)],
      target: { ...target, appointment: rest, exceptions: changed.slice(1 + moved.length).map(({ after }) => after) },
    };
  }
}

/** All that was written. */
export type AllChanges = Required<Pick<ScheduledChanges, 'created' | 'changed' | 'removed'>>;

/** Each appointment as it was before all changes and is after them, where several follow one another. */
export function mergeChanges({ created, changed, removed }: AllChanges): AllChanges {
  const [firsts, lasts] = [new Map<number, Appointment>(), new Map<number, Appointment>()];
  for (const { before, after } of changed) {
    if (!firsts.has(before.id)) firsts.set(before.id, before);
    lasts.set(after.id, after);
  }
  const gone = new Set(removed.map(({ id }) => id));
  return {
    created,
    changed: [...lasts].flatMap(([id, after]) => (gone.has(id) ? [] : [{ before: firsts.get(id)!, after }])),
    removed: removed.map((each) => firsts.get(each.id) ?? each),
  };
}
