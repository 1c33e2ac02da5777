import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { calendarEvents, CatalogueError, groupBy, ImportExportErrors, type UserPrincipal } from '@groupware/contracts';
import type { CalendarEvent } from '@groupware/icalendar';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { ZoneOffsets } from '@groupware/recurrence';
import { Clock, isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { AppointmentQuota } from '../appointments/appointment-quota';
import { FileCopies } from '../appointments/file-copies';
import { ReminderPlanner } from '../alarms/reminder-planner';
import { ConflictCheck, NOBODY_ASKED } from '../conflicts/conflict-check';
import { listResources } from '../domain/appointment';
import { toAppointmentChange } from '../domain/appointment-change';
import { DAY_MS } from '../domain/local-days';
import type { BookingReply } from '../domain/reschedule';
import { requireMayCreate, FolderAccess } from '../folders/folder-access';
import { BookingReplies } from '../participants/booking-replies';
import { ANY_LOCAL, AppointmentRepository, type LocalSpan } from '../persistence/appointment.repository';
import { BusyRepository } from '../persistence/busy.repository';
import { SchedulingOutbox } from '../scheduling/outgoing/scheduling-outbox';
import { type Entry, type EntryChanges, type FileRevisions, ImportEntries } from './import-entries';

/** Outcome of one event; `isKnown`: it was stored before, and nothing of it changes. */
export type ImportOutcome =
  { readonly id: number; readonly lastModified: number; readonly isKnown: boolean } | { readonly error: unknown };

/** Data of other services about a batch. */
export interface BatchPreparation {
  /** Replies of the resources of known appointments when booked for another time. */
  readonly bookingReply: BookingReply;
  /** Most appointments of the context, -1 without limit. */
  readonly maxAppointments: number;
}

/** State that the batches of a file share. */
export interface ImportProgress {
  readonly revisions: FileRevisions;
  /** Attendees elsewhere are told of what changes for them. */
  readonly tellsAttendees: boolean;
}

/** One conflict is enough to refuse. */
const LIMITS = { conflicts: 1, perSeries: 1, participants: 1 };

/**
 * Stores a batch of events of a file in one transaction. An event is known by its uid and original start within the
 * folder: known ones are brought up to date, so a file may be imported again, also after an import that was cut off. Refused
 * (CAL-4090) are those that the calendar user has elsewhere, those that the user may not change or see, and those that are newer
 * than the file.
 */
@Injectable()
export class ImportBatch {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly bookings: BookingReplies,
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
    private readonly busy: BusyRepository,
    private readonly conflicts: ConflictCheck,
    private readonly reminders: ReminderPlanner,
    private readonly clock: Clock,
    private readonly quota: AppointmentQuota,
    private readonly outbox: SchedulingOutbox,
    private readonly copies: FileCopies,
  ) {}

  /** Loads the data of other services about a batch; before the transaction of {@link store}. */
  async prepare(user: UserPrincipal, folderId: number, events: readonly CalendarEvent[]): Promise<BatchPreparation> {
    const uids = [...new Set(events.map(({ uid }) => uid))];
    const resources = await this.database.read(user, (db) => this.appointments.listResourcesByUids(db, folderId, uids));
    const [bookingReply, maxAppointments] = await Promise.all([
      this.bookings.loadReply(user, resources),
      this.quota.getLimit(user),
    ]);
    return { bookingReply, maxAppointments };
  }

  /**
   * Stores events after those of the file that `progress` knows, and adds to it.
   *
   * Outcomes in the order of the events; I_E-0513 for all events of a uid that would book a resource twice. */
  async store(
    tx: Transaction,
    user: UserPrincipal,
    folderId: number,
    events: readonly CalendarEvent[],
    { bookingReply, maxAppointments }: BatchPreparation,
    { revisions, tellsAttendees }: ImportProgress,
  ): Promise<ImportOutcome[]> {
    const folder = await this.access.lockFolder(tx, user, folderId);
    requireMayCreate(folder);
    const known = await this.appointments.listByUids(tx, folderId, spansOf(events));
    // A file books no resources of its own. All of them at once and before the stamp, as every writer locks them.
    this.busy.lockResources(tx, [...new Set(known.flatMap(listResources))]);
    const { stamp, id } = await this.appointments.nextStamp(tx, this.clock.now(), events.length);
    const elsewhere = await this.appointments.listUidsElsewhere(tx, folder, [...new Set(events.map(({ uid }) => uid))]);
    const entries = new ImportEntries(user, folder, known, stamp, id, bookingReply, revisions, { elsewhere });
    const outcomes: ReturnType<ImportEntries['addEvent']>[] = [];
    for (const event of events) {
      if (isTurnOver()) await yieldToEventLoop();
      outcomes.push(entries.addEvent(event));
    }
    await entries.linkExceptions();
    const empty = entries.refuseEmptySeries();
    const bookings = entries.listBookings();
    const surplus = await this.refuseSurplus(tx, entries, maxAppointments);
    const write = async (changes: EntryChanges): Promise<void> => {
      await this.write(tx, user, changes, stamp);
      // Whom a file names is invited by this user only where he tells them.
      if (tellsAttendees) await this.outbox.announce(tx, user, changes, { scope: 'all' });
    };
    await write(entries.listChanges(new Set([...[...bookings.values()].flat(), ...surplus, ...empty])));
    // One after the other, so that each is compared with those before it.
    for (const booking of bookings.values()) {
      if (booking.some(({ error }) => error)) continue;
      const error = await this.findRefusal(tx, user, booking);
      if (error) for (const entry of booking) entry.error = error;
      else await write(ImportEntries.changesOf(booking));
    }
    // The entry counts as it is at the end of the batch.
    return outcomes.map((outcome) => {
      if ('error' in outcome) return outcome;
      const { deletedBy } = outcome.entry;
      const { error, before, after } = deletedBy ?? outcome.entry;
      return error ? { error } : { id: after.id, lastModified: after.lastModified, isKnown: before === after };
    });
  }

  /** Entries beyond what the context may have. */
  private async refuseSurplus(tx: Transaction, entries: ImportEntries, limit: number): Promise<Entry[]> {
    const used = await this.quota.countUsed(tx, limit);
    if (used === undefined) return [];
    const surplus = entries.listSurplus(limit - used);
    for (const entry of surplus) entry.error = this.quota.toExceededError(used, limit);
    return surplus;
  }

  /** The reason to refuse the appointments of a uid. */
  private async findRefusal(
    tx: Transaction,
    user: UserPrincipal,
    booking: readonly Entry[],
  ): Promise<CatalogueError | undefined> {
    const series = groupBy(
      booking.filter(({ deletedBy }) => !deletedBy),
      ({ after }) => after.seriesId ?? after.id,
    );
    try {
      for (const entries of series.values()) {
        const appointments = entries.map(({ after }) => after);
        const question = {
          appointments,
          ignoreSoft: true,
          zone: ZoneOffsets.forZone('UTC'),
          limits: LIMITS,
          visibility: NOBODY_ASKED,
        };
        if ((await this.conflicts.listConflicts(tx, user, question)).length > 0)
          return ImportExportErrors.hardConflict();
      }
    } catch (error) {
      // A rule that is too complex to be compared.
      if (error instanceof CatalogueError) return error;
      throw error;
    }
    return undefined;
  }

  private async write(
    tx: Transaction,
    user: UserPrincipal,
    { created: entries, changed, removed }: EntryChanges,
    stamp: number,
  ): Promise<void> {
    const created = await this.copies.requestCopies(tx, entries);
    if (removed.length > 0) this.appointments.remove(tx, removed, stamp);
    if (created.length > 0) this.appointments.insert(tx, created);
    if (changed.length > 0)
      this.appointments.update(
        tx,
        changed.map(({ after }) => after),
      );
    if (created.length + changed.length > 0) await this.reminders.planReminders(tx, { created, changed }, stamp);
    await tx.flush();
    const origin = { by: user.userId, stamp };
    for (const appointment of removed)
      await tx.publish(calendarEvents['appointment.deleted'], toAppointmentChange(appointment, undefined, origin));
    for (const after of created)
      await tx.publish(calendarEvents['appointment.created'], toAppointmentChange(after, undefined, origin));
    for (const { before, after } of changed)
      await tx.publish(calendarEvents['appointment.changed'], toAppointmentChange(after, before, origin));
  }
}

/** No clock is more than a day away from another, and a day may stand for a time on it. */
const SPAN_MARGIN_MS = 2 * DAY_MS;

/**
 * The original starts that matter for each uid of a batch: those around its exceptions, all where the series itself comes.
 * The exceptions of a series may fill many batches, and each must not read those of all the others.
 */
function spansOf(events: readonly CalendarEvent[]): Map<string, LocalSpan> {
  const spans = new Map<string, LocalSpan>();
  for (const { uid, recurrenceId } of events) {
    const { firstMs, lastMs } = spans.get(uid) ?? { firstMs: Infinity, lastMs: -Infinity };
    const own = recurrenceId
      ? { firstMs: recurrenceId.localMs - SPAN_MARGIN_MS, lastMs: recurrenceId.localMs + SPAN_MARGIN_MS }
      : ANY_LOCAL;
    spans.set(uid, { firstMs: Math.min(firstMs, own.firstMs), lastMs: Math.max(lastMs, own.lastMs) });
  }
  return spans;
}

/** Gives every uid of a file a new one, the same for all events that share it. */
export function createUidReplacer(): (event: CalendarEvent) => CalendarEvent {
  const uids = new Map<string, string>();
  return (event) => {
    let uid = uids.get(event.uid);
    if (!uid) uids.set(event.uid, (uid = randomUUID()));
    return { ...event, uid };
  };
}
