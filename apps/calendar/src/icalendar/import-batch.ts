import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppointmentErrors, calendarEvents, type UserPrincipal } from '@groupware/contracts';
import { covers, RANK } from '@groupware/folders';
import type { CalendarEvent } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { positionOf, resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';
import { Clock } from '@groupware/service-kit';
import { type Appointment, type Attendee, CONFIRM, isSeries, PARTICIPANT } from '../domain/appointment';
import { ReminderPlanner } from '../alarms/reminder-planner';
import { changeOf } from '../domain/appointment-change';
import { withLocal, withRangeEnd } from '../domain/exception';
import { dayOf, timeOfDay } from '../domain/local-days';
import { seriesOf, startLocalOf, zoneOf } from '../domain/series';
import { type AccessedFolder, FolderAccess } from '../folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { contentOf, momentOf, requireClassificationFits } from './from-event';

/** What became of one event. */
export type ImportOutcome = { readonly id: number; readonly lastModified: number } | { readonly error: unknown };

/** One appointment of the batch, as it is and as it was. */
interface Entry {
  before?: Appointment;
  after: Appointment;
}

const keyOf = (uid: string, local: number | null): string => `${local ?? ''} ${uid}`;

/**
 * Stores a batch of events of a file in one transaction. An event is known by its uid and original start within the
 * folder: known ones are brought up to date, so a file may be imported again, also after an import that was cut off.
 */
@Injectable()
export class ImportBatch {
  constructor(
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
    private readonly reminders: ReminderPlanner,
    private readonly clock: Clock,
  ) {}

  /** Outcomes in the order of the events. */
  async store(
    tx: Transaction,
    user: UserPrincipal,
    folderId: number,
    events: readonly CalendarEvent[],
  ): Promise<ImportOutcome[]> {
    const folder = await this.access.forWrite(tx, user, folderId);
    if (folder.rights.folder < RANK.createObjects) throw AppointmentErrors.notCreatable(folderId);
    const known = await this.appointments.ofUids(tx, folderId, [...new Set(events.map(({ uid }) => uid))]);
    const { stamp, id } = await this.appointments.nextStamp(tx, this.clock.now(), events.length);
    const batch = new Batch(user, folder, known, stamp, id);
    const outcomes = events.map((event) => batch.take(event));
    const { created, changed } = batch.result();
    if (created.length > 0) await this.appointments.insert(tx, created);
    if (changed.length > 0)
      await this.appointments.update(
        tx,
        changed.map(({ after }) => after),
      );
    await this.reminders.plan(tx, { created, changed }, stamp);
    for (const after of created) await tx.publish(calendarEvents['appointment.created'], changeOf(after));
    for (const { before, after } of changed)
      await tx.publish(calendarEvents['appointment.changed'], changeOf(after, before));
    // What an entry looks like at the end of the batch counts, not when its event was read.
    return outcomes.map((outcome) =>
      'error' in outcome ? outcome : { id: outcome.entry.after.id, lastModified: outcome.entry.after.lastModified },
    );
  }
}

class Batch {
  private readonly entries = new Map<string, Entry>();
  /** Changed occurrences by uid: a file may hold thousands of them. */
  private readonly exceptions = new Map<string, Entry[]>();
  private readonly zone: string;

  constructor(
    private readonly user: UserPrincipal,
    private readonly folder: AccessedFolder,
    known: readonly Appointment[],
    private readonly stamp: number,
    private nextId: number,
  ) {
    this.zone = resolveTimeZone(user.timeZone) ?? 'UTC';
    for (const appointment of known)
      this.add(keyOf(appointment.uid, appointment.recurrenceLocalMs), { before: appointment, after: appointment });
  }

  take(event: CalendarEvent): { entry: Entry } | { error: unknown } {
    try {
      return { entry: event.recurrenceId ? this.takeException(event) : this.takeMaster(event) };
    } catch (error) {
      return { error };
    }
  }

  /** What has to be written. Entries that stay as they were are left alone. */
  result(): { created: Appointment[]; changed: { before: Appointment; after: Appointment }[] } {
    const entries = [...this.entries.values()];
    return {
      created: entries.flatMap(({ before, after }) => (before ? [] : [after])),
      changed: entries.flatMap(({ before, after }) => (before && before !== after ? [{ before, after }] : [])),
    };
  }

  private takeMaster(event: CalendarEvent): Entry {
    const key = keyOf(event.uid, null);
    const old = this.entries.get(key);
    const next = this.appointment(event, old?.after);
    const recurring = next.rule !== null || next.rdates !== null;
    const after = withRangeEnd({
      ...next,
      seriesId: recurring ? next.id : null,
      changes: recurring ? (old?.after.changes ?? null) : null,
    });
    const entry = this.put(key, old, after);
    if (recurring) for (const exception of this.exceptions.get(event.uid) ?? []) this.link(entry, exception);
    return entry;
  }

  private takeException(event: CalendarEvent): Entry {
    const master = this.entries.get(keyOf(event.uid, null));
    const local = originalStart(event, master?.after);
    const key = keyOf(event.uid, local);
    const old = this.entries.get(key);
    const next = this.appointment(event, old?.after);
    const after = {
      ...next,
      seriesId: old?.after.seriesId ?? null,
      recurrenceLocalMs: local,
      position: old?.after.position ?? null,
      rule: null,
      rdates: null,
      exdates: null,
      rangeEndMs: next.endMs,
    };
    const entry = this.put(key, old, after);
    if (master && isSeries(master.after)) this.link(master, entry);
    return entry;
  }

  /** Ties an exception to its series: the occurrence it replaces no longer shows. */
  private link(master: Entry, exception: Entry): void {
    const local = exception.after.recurrenceLocalMs!;
    const position = positionOf(seriesOf({ ...master.after, exdates: null, changes: null }), local) ?? null;
    exception.after = this.changed(exception, { ...exception.after, seriesId: master.after.id, position });
    if (!master.after.changes?.includes(local))
      master.after = this.changed(master, { ...master.after, changes: withLocal(master.after.changes, local) });
  }

  private add(key: string, entry: Entry): Entry {
    this.entries.set(key, entry);
    const { uid, recurrenceLocalMs } = entry.after;
    if (recurrenceLocalMs !== null) {
      const others = this.exceptions.get(uid);
      if (others) others.push(entry);
      else this.exceptions.set(uid, [entry]);
    }
    return entry;
  }

  private put(key: string, old: Entry | undefined, after: Appointment): Entry {
    if (!old) return this.add(key, { after });
    old.after = this.changed(old, after);
    return old;
  }

  /** The new form with a new stamp; the old one when nothing differs from what is stored. */
  private changed({ before }: Entry, after: Appointment): Appointment {
    if (!before) return after;
    const same = { ...after, lastModified: before.lastModified, modifiedBy: before.modifiedBy };
    if (comparable(same) === comparable(before)) return before;
    return { ...after, lastModified: this.stamp, modifiedBy: this.user.userId };
  }

  private appointment(event: CalendarEvent, old: Appointment | undefined): Appointment {
    const { user, folder, stamp } = this;
    if (old && !covers(folder.rights.write, old.createdBy === user.userId)) throw AppointmentErrors.notWritable(old.id);
    const { content, alarm } = contentOf(event, this.zone);
    requireClassificationFits(content, folder.type === 1 && folder.createdBy === user.userId, folder.id);
    const attendees = old ? old.attendees : [this.owner()];
    const organizer = { organizer: user.email, organizerId: user.userId, principal: null, principalId: null };
    return {
      ...content,
      ...(old
        ? {
            organizer: old.organizer,
            organizerId: old.organizerId,
            principal: old.principal,
            principalId: old.principalId,
          }
        : organizer),
      id: old?.id ?? this.nextId++,
      seriesId: null,
      folderId: folder.id,
      isPublic: folder.type === 2,
      owner: old?.owner ?? folder.calendarUser,
      recurrenceLocalMs: null,
      position: null,
      rangeEndMs: content.endMs,
      changes: null,
      createdBy: old?.createdBy ?? user.userId,
      modifiedBy: user.userId,
      created: old?.created ?? stamp,
      lastModified: stamp,
      attachments: old?.attachments ?? 0,
      newestAttachment: old?.newestAttachment ?? null,
      attendees: attendees.map((attendee) =>
        attendee.type === PARTICIPANT.user && attendee.entity === folder.calendarUser
          ? { ...attendee, alarm }
          : attendee,
      ),
    };
  }

  private owner(): Attendee {
    const { folder, user } = this;
    const self = folder.calendarUser === user.userId;
    return {
      type: PARTICIPANT.user,
      entity: folder.calendarUser,
      mail: self ? user.email : null,
      displayName: self ? user.displayName : null,
      folderId: null,
      direct: folder.type === 1,
      listed: true,
      hidden: false,
      confirm: CONFIRM.accepted,
      message: null,
      alarm: null,
      extra: null,
    };
  }
}

/** Original start of an exception in the clock of its series; without a series in its own clock. */
function originalStart(event: CalendarEvent, master: Appointment | undefined): number {
  const time = event.recurrenceId!;
  const series = master ?? { ...contentOf({ ...event, rrule: undefined, rdates: [], exdates: [] }, 'UTC').content };
  if (time.kind === 'date') {
    // A day stands for the occurrence on that day.
    return series.fullTime ? time.localMs : dayOf(time.localMs) + timeOfDay(startLocalOf(series));
  }
  if (series.fullTime) return dayOf(time.localMs);
  if (time.kind === 'floating' || series.floating) return time.localMs;
  return ZoneOffsets.of(zoneOf(series)).instantToLocal(momentOf(time));
}

/** Text that is equal for equal appointments; the order of keys and values that are absent do not matter. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) => {
    if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return entry;
    return Object.fromEntries(
      Object.entries(entry)
        .filter(([, field]) => field !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  });
}

/** Gives every uid of a file a new one, the same for all events that share it. */
export function freshUids(): (event: CalendarEvent) => CalendarEvent {
  const uids = new Map<string, string>();
  return (event) => {
    let uid = uids.get(event.uid);
    if (!uid) uids.set(event.uid, (uid = randomUUID()));
    return { ...event, uid };
  };
}
