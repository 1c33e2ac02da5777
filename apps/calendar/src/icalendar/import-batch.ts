import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  CalendarErrors,
  calendarEvents,
  CatalogueError,
  ImportExportErrors,
  type UserPrincipal,
} from '@groupware/contracts';
import { RANK } from '@groupware/folders';
import type { CalendarEvent } from '@groupware/icalendar';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { ZoneOffsets } from '@groupware/recurrence';
import { Clock, isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { AppointmentQuota } from '../appointment-quota';
import { ReminderPlanner } from '../alarms/reminder-planner';
import { ConflictCheck } from '../conflict-check';
import { resourcesOf } from '../domain/appointment';
import { changeOf } from '../domain/appointment-change';
import { DAY_MS } from '../domain/local-days';
import type { BookingAnswer } from '../domain/reschedule';
import { FolderAccess } from '../folder-access';
import { BookingAnswers } from '../participants/booking-answers';
import { ANY_LOCAL, AppointmentRepository, type LocalSpan } from '../persistence/appointment.repository';
import { BusyRepository } from '../persistence/busy.repository';
import { type Entry, type EntryChanges, ImportEntries } from './import-entries';

/** What became of one event. */
export type ImportOutcome = { readonly id: number; readonly lastModified: number } | { readonly error: unknown };

/** What other services know about a batch. */
export interface BatchPreparation {
  /** What the resources of known appointments answer when they are booked for another time. */
  readonly bookingAnswer: BookingAnswer;
  /** Most appointments of the context, -1 without limit. */
  readonly maxAppointments: number;
}

/** One conflict is enough to refuse. */
const LIMITS = { conflicts: 1, perSeries: 1, participants: 1 };

/**
 * Stores a batch of events of a file in one transaction. An event is known by its uid and original start within the
 * folder: known ones are brought up to date, so a file may be imported again, also after an import that was cut off.
 */
@Injectable()
export class ImportBatch {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly bookings: BookingAnswers,
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
    private readonly busy: BusyRepository,
    private readonly conflicts: ConflictCheck,
    private readonly reminders: ReminderPlanner,
    private readonly clock: Clock,
    private readonly quota: AppointmentQuota,
  ) {}

  /** What other services know about a batch; before the transaction of {@link store}. */
  async prepare(user: UserPrincipal, folderId: number, events: readonly CalendarEvent[]): Promise<BatchPreparation> {
    const uids = [...new Set(events.map(({ uid }) => uid))];
    const resources = await this.database.read(user, (db) => this.appointments.resourcesOfUids(db, folderId, uids));
    const [bookingAnswer, maxAppointments] = await Promise.all([
      this.bookings.of(user, resources),
      this.quota.limit(user),
    ]);
    return { bookingAnswer, maxAppointments };
  }

  /** Outcomes in the order of the events; I_E-0513 for all events of a uid that would book a resource twice. */
  async store(
    tx: Transaction,
    user: UserPrincipal,
    folderId: number,
    events: readonly CalendarEvent[],
    { bookingAnswer, maxAppointments }: BatchPreparation,
  ): Promise<ImportOutcome[]> {
    const folder = await this.access.forWrite(tx, user, folderId);
    if (folder.rights.folder < RANK.createObjects) throw CalendarErrors.noWritePermission(folderId);
    const known = await this.appointments.ofUids(tx, folderId, spansOf(events));
    // A file books no resources of its own. All of them at once and before the stamp, as every writer locks them.
    this.busy.lockResources(tx, [...new Set(known.flatMap(resourcesOf))]);
    const { stamp, id } = await this.appointments.nextStamp(tx, this.clock.now(), events.length);
    const entries = new ImportEntries(user, folder, known, stamp, id, bookingAnswer);
    const outcomes: ReturnType<ImportEntries['take']>[] = [];
    for (const event of events) {
      if (isTurnOver()) await yieldToEventLoop();
      outcomes.push(entries.take(event));
    }
    await entries.link();
    const bookings = entries.bookings();
    const surplus = await this.refuseSurplus(tx, entries, maxAppointments);
    await this.write(tx, user, entries.changes(new Set([...[...bookings.values()].flat(), ...surplus])), stamp);
    // One after the other, so that each is compared with those before it.
    for (const booking of bookings.values()) {
      if (booking.some(({ error }) => error)) continue;
      const error = await this.refusal(tx, user, booking);
      if (error) for (const entry of booking) entry.error = error;
      else await this.write(tx, user, ImportEntries.changesOf(booking), stamp);
    }
    // What an entry looks like at the end of the batch counts, not when its event was read.
    return outcomes.map((outcome) => {
      if ('error' in outcome) return outcome;
      const { error, after } = outcome.entry;
      return error ? { error } : { id: after.id, lastModified: after.lastModified };
    });
  }

  /** Entries beyond what the context may have. */
  private async refuseSurplus(tx: Transaction, entries: ImportEntries, limit: number): Promise<Entry[]> {
    const used = await this.quota.used(tx, limit);
    if (used === undefined) return [];
    const surplus = entries.beyond(limit - used);
    for (const entry of surplus) entry.error = AppointmentQuota.exceeded(used, limit);
    return surplus;
  }

  /** Why the appointments of a uid must not become so. */
  private async refusal(
    tx: Transaction,
    user: UserPrincipal,
    booking: readonly Entry[],
  ): Promise<CatalogueError | undefined> {
    const series = new Map<number, Entry[]>();
    for (const entry of booking) {
      const id = entry.after.seriesId ?? entry.after.id;
      series.set(id, [...(series.get(id) ?? []), entry]);
    }
    try {
      for (const entries of series.values()) {
        const appointments = entries.map(({ after }) => after);
        const question = { appointments, ignoreSoft: true, zone: ZoneOffsets.of('UTC'), limits: LIMITS };
        if ((await this.conflicts.find(tx, user, question)).length > 0) return ImportExportErrors.hardConflict();
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
    { created, changed }: EntryChanges,
    stamp: number,
  ): Promise<void> {
    if (created.length > 0) this.appointments.insert(tx, created);
    if (changed.length > 0)
      this.appointments.update(
        tx,
        changed.map(({ after }) => after),
      );
    if (created.length + changed.length > 0) await this.reminders.plan(tx, { created, changed }, stamp);
    await tx.settle();
    const origin = { by: user.userId, stamp };
    for (const after of created)
      await tx.publish(calendarEvents['appointment.created'], changeOf(after, undefined, origin));
    for (const { before, after } of changed)
      await tx.publish(calendarEvents['appointment.changed'], changeOf(after, before, origin));
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
export function freshUids(): (event: CalendarEvent) => CalendarEvent {
  const uids = new Map<string, string>();
  return (event) => {
    let uid = uids.get(event.uid);
    if (!uid) uids.set(event.uid, (uid = randomUUID()));
    return { ...event, uid };
  };
}
