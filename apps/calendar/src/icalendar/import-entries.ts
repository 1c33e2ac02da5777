import { CalendarErrors, type UserPrincipal } from '@groupware/contracts';
import { coversObject } from '@groupware/folders';
import type { CalendarEvent } from '@groupware/icalendar';
import { positionOf, resolveTimeZone, type Series, ZoneOffsets } from '@groupware/recurrence';
import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import {
  type Appointment,
  type Attendee,
  CLASSIFICATION,
  isSeries,
  listResources,
  PARTICIPANT,
} from '../domain/appointment';
import { withRangeEnd } from '../domain/exception';
import { dayOf, timeOfDay } from '../domain/local-days';
import { isEmptied, toEmptyError } from '../domain/occurrence';
import { createOwnerAttendee } from '../domain/owner-attendee';
import { requireValidClassification } from '../domain/private-rules';
import { resetParticipation, type BookingReply, requiresReconfirmation } from '../domain/reschedule';
import { startLocalOf, wholeSeriesOf, zoneOf } from '../domain/series';
import type { AccessedFolder } from '../folders/folder-access';
import { toImportedContent, toInstant, requireValidFolderClassification } from './from-event';

/** The folder of an import, as far as it matters to its entries. */
export type ImportFolder = Pick<AccessedFolder, 'id' | 'type' | 'createdBy' | 'calendarUser' | 'rights'>;

/** One appointment of a batch, as it is and as it was; or why it must not become so. */
export interface Entry {
  before?: Appointment;
  after: Appointment;
  error?: unknown;
  /** The series of which a newer revision deletes this occurrence. */
  deletedBy?: Entry;
}

/** Changes to write. */
export interface EntryChanges {
  readonly created: Appointment[];
  readonly changed: { readonly before: Appointment; readonly after: Appointment }[];
  readonly removed: Appointment[];
}

/** Events that a file of a user must not change. */
export interface Reserved {
  /** Unique ids of events that the calendar user has elsewhere. */
  readonly elsewhere: ReadonlySet<string>;
}

/** Highest SEQUENCE that a file brought so far, by entry; entries that only have 0 are left out. */
export type FileRevisions = Map<string, number>;

const entryKey = (uid: string, local: number | null): string => `${local ?? ''} ${uid}`;

/** The appointments of a batch of events: what is stored already, brought up to date event by event. Without I/O. */
export class ImportEntries {
  private readonly entries = new Map<string, Entry>();
  /** Changed occurrences by uid: a file may hold thousands of them. */
  private readonly exceptions = new Map<string, Entry[]>();
  /** Exceptions that are to be tied to their series, and those whose series changed. */
  private readonly unlinked = new Set<Entry>();
  private readonly zone: string;

  constructor(
    private readonly user: UserPrincipal,
    private readonly folder: ImportFolder,
    known: readonly Appointment[],
    private readonly stamp: number,
    private nextId: number,
    private readonly bookingReply: BookingReply,
    private readonly revisions: FileRevisions,
    /** Absent where the file says all that there is, as a feed does. */
    private readonly reserved?: Reserved,
  ) {
    this.zone = resolveTimeZone(user.timeZone) ?? 'UTC';
    for (const appointment of known)
      this.add(entryKey(appointment.uid, appointment.recurrenceLocalMs), { before: appointment, after: appointment });
  }

  /** The entry of an event, or why it is refused. */
  addEvent(event: CalendarEvent): { entry: Entry } | { error: unknown } {
    try {
      if (this.reserved?.elsewhere.has(event.uid)) throw CalendarErrors.uidTaken(event.uid);
      return { entry: event.recurrenceId ? this.addException(event) : this.addMaster(event) };
    } catch (error) {
      return { error };
    }
  }

  /**
   * Ties the exceptions of all events that were taken to their series: the occurrences they replace no longer show. An
   * exception that is older than a series which deletes its occurrence goes. Once, at the end, since a series may have
   * thousands of them.
   */
  async linkExceptions(): Promise<void> {
    const replaced = new Map<Entry, Set<number>>();
    const series = new Map<Entry, Series>();
    for (const exception of this.unlinked) {
      if (isTurnOver()) await yieldToEventLoop();
      const { uid, recurrenceLocalMs } = exception.after;
      const master = this.entries.get(entryKey(uid, null));
      if (!master || !isSeries(master.after)) continue;
      if (!series.has(master)) {
        series.set(master, wholeSeriesOf(master.after));
        replaced.set(master, new Set(master.after.changes));
      }
      if (this.isDeletedBy(master.after, exception)) {
        exception.deletedBy = master;
        replaced.get(master)!.delete(recurrenceLocalMs!);
        continue;
      }
      const position = positionOf(series.get(master)!, recurrenceLocalMs!) ?? null;
      // An exception that does not say so is as private as its series.
      const classification = Math.max(exception.after.classification, master.after.classification);
      const after = { ...exception.after, seriesId: master.after.id, position, classification };
      exception.after = this.changed(exception, after);
      replaced.get(master)!.add(recurrenceLocalMs!);
    }
    this.unlinked.clear();
    for (const [master, locals] of replaced) {
      const changes = locals.size > 0 ? [...locals].sort((a, b) => a - b) : null;
      master.after = this.changed(master, { ...master.after, changes });
    }
  }

  /** Refuses series of which a file leaves no occurrence (CAL-4002): they stay as they are, with their exceptions. */
  refuseEmptySeries(): Entry[] {
    const changed = this.changedEntries();
    const empty = new Set(changed.filter(({ after }) => isEmptied(after)));
    const refused = empty.size === 0 ? [] : changed.filter((entry) => empty.has(entry.deletedBy ?? entry));
    for (const entry of refused) entry.error = toEmptyError(entry.after);
    return refused;
  }

  /** Entries that changed, by uid, where something books resources. */
  listBookings(): Map<string, Entry[]> {
    const byUid = new Map<string, Entry[]>();
    for (const entry of this.changedEntries()) {
      const known = byUid.get(entry.after.uid);
      if (known) known.push(entry);
      else byUid.set(entry.after.uid, [entry]);
    }
    return new Map([...byUid].filter(([, entries]) => entries.some(({ after }) => listResources(after).length > 0)));
  }

  /** Changes to write, without these entries and unchanged ones. */
  listChanges(without: ReadonlySet<Entry>): EntryChanges {
    return ImportEntries.changesOf(this.changedEntries().filter((entry) => !without.has(entry)));
  }

  /** Changes to write of some entries. */
  static changesOf(entries: readonly Entry[]): EntryChanges {
    return {
      created: entries.flatMap(({ before, after, deletedBy }) => (before || deletedBy ? [] : [after])),
      changed: entries.flatMap(({ before, after, deletedBy }) =>
        before && before !== after && !deletedBy ? [{ before, after }] : [],
      ),
      removed: entries.flatMap(({ before, deletedBy }) => (before && deletedBy ? [before] : [])),
    };
  }

  /** New entries that find no room where so many more may be stored; a series has room as a whole. */
  listSurplus(room: number): Entry[] {
    const created = this.changedEntries().filter(({ before }) => !before);
    const of = ({ after }: Entry): number => after.seriesId ?? after.id;
    const surplus = new Set(created.slice(Math.max(room, 0)).map(of));
    return created.filter((entry) => surplus.has(of(entry)));
  }

  private changedEntries(): Entry[] {
    return [...this.entries.values()].filter(({ before, after, deletedBy }) => (deletedBy ? before : before !== after));
  }

  private addMaster(event: CalendarEvent): Entry {
    const key = entryKey(event.uid, null);
    const old = this.entries.get(key);
    if (old && this.isOutdated(key, event)) return old;
    this.requireNotOlder(event, old);
    const next = this.appointment(event, old?.after);
    const recurring = next.rule !== null || next.rdates !== null;
    const after = withRangeEnd({
      ...next,
      seriesId: recurring ? next.id : null,
      changes: recurring ? (old?.after.changes ?? null) : null,
    });
    const entry = this.put(key, old, after);
    if (recurring)
      for (const exception of this.exceptions.get(event.uid) ?? [])
        if (!exception.before || this.mayChange(exception.before)) this.unlinked.add(exception);
    return entry;
  }

  private addException(event: CalendarEvent): Entry {
    const master = this.entries.get(entryKey(event.uid, null));
    const local = originalStart(event, master?.after);
    const key = entryKey(event.uid, local);
    const old = this.entries.get(key);
    if (old && this.isOutdated(key, event)) return old;
    this.requireNotOlder(event, old);
    const next = this.appointment(event, old?.after, master);
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
    this.unlinked.add(entry);
    return entry;
  }

  /** True when the file had a newer revision before (RFC 5545, section 3.8.7.4); of equal ones the later counts. */
  private isOutdated(key: string, { sequence }: CalendarEvent): boolean {
    return sequence < (this.revisions.get(key) ?? 0);
  }

  /** True when a series is newer than an exception and has no such occurrence any more; what may not be deleted stays. */
  private isDeletedBy({ sequence, exdates }: Appointment, { before, after }: Entry): boolean {
    if (sequence <= after.sequence || !exdates?.includes(after.recurrenceLocalMs!)) return false;
    return !before || coversObject(this.folder.rights.remove, before.createdBy === this.user.userId);
  }

  /** Refuses an event that changed since the file was written (CAL-4090). */
  private requireNotOlder({ uid, sequence }: CalendarEvent, old: Entry | undefined): void {
    if (this.reserved && old?.before && sequence < old.before.sequence) throw CalendarErrors.uidTaken(uid);
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
    if (after.sequence > (this.revisions.get(key) ?? 0)) this.revisions.set(key, after.sequence);
    if (!old) return this.add(key, { after });
    const attendees = requiresReconfirmation(old.after, after)
      ? resetParticipation(after.attendees, after.owner, old.after, this.bookingReply)
      : after.attendees;
    old.after = this.changed(old, { ...after, attendees });
    return old;
  }

  /** The new form with a new stamp; the old one when nothing differs from what is stored. */
  private changed({ before }: Entry, after: Appointment): Appointment {
    if (!before) return after;
    const same = { ...after, lastModified: before.lastModified, modifiedBy: before.modifiedBy };
    if (toComparable(same) === toComparable(before)) return before;
    return { ...after, lastModified: this.stamp, modifiedBy: this.user.userId };
  }

  private appointment(event: CalendarEvent, old: Appointment | undefined, series?: Entry): Appointment {
    const { user, folder, stamp } = this;
    const stored = old ?? series?.before;
    if (stored && !this.mayChange(stored)) throw CalendarErrors.uidTaken(event.uid);
    // A new exception has the people and rooms of its series.
    const known = old ?? series?.after;
    const { content, alarm } = toImportedContent(event, this.zone);
    requireValidFolderClassification(content, folder.type === 1 && folder.createdBy === user.userId, folder.id);
    const attendees = known?.attendees ?? [this.owner()];
    const owner = known?.owner ?? folder.calendarUser;
    if (known && known.classification !== content.classification)
      requireValidClassification({ ...content, attendees, owner, isPublic: folder.type === 2 }, user);
    const organizer = { organizer: user.email, organizerId: user.userId, principal: null, principalId: null };
    return {
      ...content,
      ...(known
        ? {
            organizer: known.organizer,
            organizerId: known.organizerId,
            principal: known.principal,
            principalId: known.principalId,
          }
        : organizer),
      id: old?.id ?? this.nextId++,
      seriesId: null,
      folderId: folder.id,
      isPublic: folder.type === 2,
      owner,
      recurrenceLocalMs: null,
      position: null,
      rangeEndMs: content.endMs,
      changes: null,
      createdBy: known?.createdBy ?? user.userId,
      modifiedBy: user.userId,
      created: old?.created ?? stamp,
      lastModified: stamp,
      // A new exception gets copies of the files of its series.
      attachments: old?.attachments ?? series?.after.attachments ?? 0,
      newestAttachment: old?.newestAttachment ?? null,
      attendees: attendees.map((attendee) =>
        attendee.type === PARTICIPANT.user && attendee.entity === folder.calendarUser
          ? { ...attendee, alarm }
          : attendee,
      ),
    };
  }

  /** True for what the user may read and write, unless another one keeps it to himself in a calendar that is not the user's own. */
  private mayChange({ createdBy, classification }: Appointment): boolean {
    const { user, folder } = this;
    const isOwn = createdBy === user.userId;
    const isShown = isOwn || classification === CLASSIFICATION.public || folder.calendarUser === user.userId;
    return isShown && coversObject(folder.rights.read, isOwn) && coversObject(folder.rights.write, isOwn);
  }

  private owner(): Attendee {
    const { folder, user } = this;
    const self = folder.calendarUser === user.userId;
    return createOwnerAttendee(folder.calendarUser, {
      direct: folder.type === 1,
      ...(self && { mail: user.email, displayName: user.displayName }),
    });
  }
}

/** Original start of an exception in the clock of its series, local ms; without a series in its own clock. */
export function originalStart(event: CalendarEvent, master: Appointment | undefined): number {
  const time = event.recurrenceId!;
  const series = master ?? {
    ...toImportedContent({ ...event, rrule: undefined, rdates: [], exdates: [] }, 'UTC').content,
  };
  if (time.kind === 'date') {
    // A day stands for the occurrence on that day.
    return series.fullTime ? time.localMs : dayOf(time.localMs) + timeOfDay(startLocalOf(series));
  }
  if (series.fullTime) return dayOf(time.localMs);
  if (time.kind === 'floating' || series.floating) return time.localMs;
  return ZoneOffsets.forZone(zoneOf(series)).instantToLocal(toInstant(time));
}

/** Text that is equal for equal appointments; the order of keys and values that are absent do not matter. */
function toComparable(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) => {
    if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return entry;
    return Object.fromEntries(
      Object.entries(entry)
        .filter(([, field]) => field !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  });
}
