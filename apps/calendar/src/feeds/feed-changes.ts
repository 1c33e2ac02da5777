import { Injectable } from '@nestjs/common';
import {
  APPOINTMENT_RIGHTS,
  CalendarErrors,
  isCatalogueError,
  findFeedFolder,
  recordCheck,
  type AlarmData,
  type EventChangeQuery,
  type EventData,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { resolveTimeZone } from '@groupware/recurrence';
import { AlarmClock, Clock } from '@groupware/service-kit';
import { requireUnchanged } from '../appointments/appointment-target';
import type { Appointment } from '../domain/appointment';
import { setAlarms } from '../events/event-attendees';
import { keepProgress, listEventAlarms, startAlarms } from '../events/event-alarms';
import { applyEventAttendeeEdit } from '../events/event-edit';
import { asEvent } from '../events/event-errors';
import { parseEventId } from '../events/event-finder';
import { getAttendeeRest, withAttendeeRest } from '../domain/attendee-rest';
import type { EventChanges } from '../events/event-results';
import { type AccessedFolder, FolderAccess } from '../folders/folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { FeedEventRepository } from './feed-event.repository';
import { FeedRefusal } from './feed-refusal';
import { FeedRepository } from './feed.repository';

/** The event of a change. Without a timestamp it may have changed meanwhile. */
interface FeedEventQuery {
  readonly id: string;
  readonly folder: string;
  readonly timestamp?: number;
}

/** A change of what its provider alone changes. */
class ReadOnly extends Error {
  constructor() {
    super('the event is read-only');
  }
}

/** Changes what users may change of events of calendars of the web: their alarms. */
@Injectable()
export class FeedChanges {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly events: FeedEventRepository,
    private readonly feeds: FeedRepository,
    private readonly appointments: AppointmentRepository,
    private readonly clock: Clock,
    private readonly alarms: AlarmClock,
    private readonly refusal: FeedRefusal,
  ) {}

  /** Applies a change that concerns alarms only; everything else is CAL-4228. Those of a series are those of all its occurrences. */
  async updateEvent(user: UserPrincipal, query: EventChangeQuery, body: EventData): Promise<EventChanges> {
    try {
      return await this.applyOwn(user, query, body);
    } catch (error) {
      if (error instanceof ReadOnly) await this.refusal.requireOwnCalendars(user, query.folder);
      throw error;
    }
  }

  private applyOwn(user: UserPrincipal, query: EventChangeQuery, body: EventData): Promise<EventChanges> {
    return this.change(user, query, (before, calendarUser) => {
      const userZone = resolveTimeZone(user.timeZone) ?? 'UTC';
      try {
        return applyEventAttendeeEdit(before, { body, userZone, calendarUser, attendees: undefined });
      } catch (error) {
        const isForbidden = isCatalogueError(error, CalendarErrors.notOrganizer, CalendarErrors.changeForbidden);
        throw isForbidden ? new ReadOnly() : error;
      }
    });
  }

  /** Replaces the alarms of an event. */
  updateAlarms(user: UserPrincipal, query: FeedEventQuery, alarms: readonly AlarmData[]): Promise<EventChanges> {
    return this.change(user, query, (before, calendarUser) => ({
      ...before,
      attendees: setAlarms(before.attendees, calendarUser, alarms, before.id),
    }));
  }

  /** Applies a change of the alarms of an event. @throws CAL-4044, CAL-4040, and CAL-4120 where the change has a timestamp */
  change(
    user: UserPrincipal,
    query: FeedEventQuery,
    apply: (before: Appointment, calendarUser: number) => Appointment,
  ): Promise<EventChanges> {
    const id = parseEventId(query.id);
    const folderId = findFeedFolder(query.folder)!;
    return asEvent(query.id, () =>
      this.database.transact(user, async (tx) => {
        const folder = await this.access.requireFeed(tx, user, folderId);
        recordChecks();
        const [before] = await this.events.listByIds(tx, [folderId], [id]);
        if (!before) throw CalendarErrors.eventNotFound(id);
        if (query.timestamp !== undefined) requireUnchanged(before, query.timestamp, folder);
        return this.store(tx, folder, before, apply(before, folder.calendarUser));
      }),
    );
  }

  private async store(
    tx: Transaction,
    folder: AccessedFolder,
    before: Appointment,
    applied: Appointment,
  ): Promise<EventChanges> {
    const after = startAlarms(withoutPlannedAlarm(applied, before), this.clock.now());
    const [attendee] = after.attendees;
    const isSame = JSON.stringify(before.attendees) === JSON.stringify(after.attendees);
    if (isSame) return toChanges(folder, before, before, before.lastModified);
    const now = this.clock.now();
    const { stamp } = await this.appointments.nextStamp(tx, now, 0);
    const hasAlarms = listEventAlarms(after, attendee!).length > 0;
    await this.events.storeOwn(tx, after, hasAlarms ? { extra: attendee!.extra } : null, { stamp, now });
    if (hasAlarms) await this.feeds.followBirthdays(tx, folder.id, now);
    if (hasAlarms) tx.afterCommit(() => this.alarms.scheduleBy(now));
    return toChanges(folder, before, { ...after, lastModified: stamp }, stamp);
  }
}

/** Records the checks of a change: only the owner sees the folder, and all that changes is his own. */
function recordChecks(): void {
  for (const right of ['write', 'reply'] as const) recordCheck(APPOINTMENT_RIGHTS[right]);
}

/** Alarms are not planned as reminders: all of them are in the event, which says when to look at them next. */
function withoutPlannedAlarm(event: Appointment, before: Appointment): Appointment {
  const known = before.attendees.flatMap((attendee) => getAttendeeRest(attendee).alarms ?? []);
  const attendees = event.attendees.map((attendee) => {
    const planned = attendee.alarm === null ? undefined : listEventAlarms(event, attendee)[0];
    if (!planned) return attendee;
    const alarms = [keepProgress(planned, known), ...(getAttendeeRest(attendee).alarms ?? [])];
    return withAttendeeRest({ ...attendee, alarm: null }, { alarm: undefined, alarms });
  });
  return { ...event, attendees };
}

const toChanges = (folder: AccessedFolder, before: Appointment, after: Appointment, stamp: number): EventChanges => ({
  folder,
  stamp,
  created: [],
  changed: [{ before, after }],
  removed: [],
});
