import { Injectable } from '@nestjs/common';
import {
  APPOINTMENT_RIGHTS,
  waiveCheck,
  calendarEvents,
  CalendarErrors,
  CatalogueError,
  ImportExportErrors,
  RequestErrors,
  toFailedItem,
  toItemWarnings,
  type ImportedItem as ItemResult,
  type ItemWarning,
  type UserPrincipal,
} from '@groupware/contracts';
import { type CalendarEvent, type ImportedItem, readCalendar } from '@groupware/icalendar';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { resolveTimeZone } from '@groupware/recurrence';
import { Clock, Logger, pauseAfterTurn } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { LOOKS_FOR_CONFLICTS } from '../conflicts/conflict-check';
import { toStorable } from './from-event';
import { createUidReplacer, ImportBatch, type BatchPreparation, type ImportOutcome } from './import-batch';
import type { FileRevisions } from './import-entries';
import { splitRanges } from './range-split';
import { DuplicateSeries, SplitLeftovers } from './split-leftovers';

/** Options of an import. */
export interface ImportOptions {
  readonly folderId: number;
  readonly freshUids: boolean;
  /** Everything is tried and nothing is kept. */
  readonly dryRun: boolean;
  /** Attendees elsewhere are told of what changes for them. */
  readonly tellsAttendees: boolean;
  readonly signal: AbortSignal;
}

/** An import under way. */
interface ImportRun extends ImportOptions {
  readonly revisions: FileRevisions;
  /** ms UTC */
  readonly startedAt: number;
}

/** An item of the file with an event. */
type Readable = ImportedItem & { readonly event: CalendarEvent };

/** Undoes the transaction of a dry run and carries its outcomes. */
class DryRun extends Error {
  constructor(readonly outcomes: ImportOutcome[]) {
    super('dry run');
  }
}

const log = Logger.for('calendar.import');

/**
 * Imports a file of iCalendar objects as it streams in. Events are stored in batches, so memory does not grow with the file;
 * when it is cut off, the same file imported again gives the same end state as one clean run. Events that are there already,
 * as they are in the file, are told as such (API page "Platform"); others with a known uid are brought up to date.
 */
@Injectable()
export class CalendarImport {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly batches: ImportBatch,
    private readonly config: CalendarConfig,
    private readonly leftovers: SplitLeftovers,
    private readonly clock: Clock,
  ) {}

  /** A result per item in the order of the file. @throws I_E-1315 for a file that is no calendar */
  async importFile(
    user: UserPrincipal,
    source: AsyncIterable<Uint8Array>,
    options: ImportOptions,
  ): Promise<ItemResult[]> {
    const run: ImportRun = { ...options, revisions: new Map(), startedAt: this.clock.now() };
    const results: ItemResult[] = [];
    const doubles = new DuplicateSeries();
    const rename = options.freshUids ? createUidReplacer() : (event: CalendarEvent) => event;
    let batch: Readable[] = [];
    let hasEvents = false;
    let isCalendar = false;
    let storing = Promise.resolve();
    // The next events are read while the last ones are stored; never more than one batch is under way.
    const flush = async (): Promise<void> => {
      await storing;
      if (options.signal.aborted) throw RequestErrors.deadlinePassed('import');
      const events = await splitRanges(
        batch.map(({ event }) => event),
        resolveTimeZone(user.timeZone) ?? 'UTC',
      );
      const items = batch.map((item, index) => ({ ...item, event: events[index]! }));
      batch = [];
      storing = this.store(user, run, items).then(async (outcomes) => {
        for (const [index, item] of items.entries())
          results[item.index] = this.toItemResult(item, outcomes[index]!, run, user);
        if (options.dryRun) return;
        const stored = items.filter((_item, index) => !('error' in outcomes[index]!)).map(({ event }) => event);
        doubles.note(items, await this.leftovers.listLeftovers(user, options.folderId, stored));
      });
      // The next waiting call gets the error.
      storing.catch(() => undefined);
    };
    const items = readCalendar(source, {
      defaultTimeZone: resolveTimeZone(user.timeZone) ?? 'UTC',
      maxItems: this.config.importMaxItems,
      onCalendar: () => (isCalendar = true),
      pause: pauseAfterTurn,
    });
    try {
      for await (const item of items) {
        if (!item.event) {
          results[item.index] = toRefusal(item, user);
          continue;
        }
        const event = rename(toStorable(item.event));
        // Changes of all that follow need their series, which as a rule stands right before them.
        const isLate = batch.length >= 2 * this.config.importBatch || event.uid !== batch.at(-1)?.event.uid;
        if (batch.length >= this.config.importBatch && isLate) await flush();
        batch.push({ ...item, event });
        hasEvents = true;
      }
      if (batch.length > 0) await flush();
    } finally {
      await storing;
    }
    if (!hasEvents) waiveCheck(APPOINTMENT_RIGHTS.create, 'the file has no events');
    if (!isCalendar && results.length === 0) throw ImportExportErrors.noContent();
    await this.removeDoubles(user, options, doubles, results);
    if (!options.dryRun && results.some(({ id }) => id !== undefined)) await this.finished(user, options.folderId);
    return results;
  }

  private async store(user: UserPrincipal, run: ImportRun, batch: readonly Readable[]): Promise<ImportOutcome[]> {
    try {
      const events = batch.map(({ event }) => event);
      const prepared = await this.batches.prepare(user, run.folderId, events);
      return await this.database.transact(
        user,
        (tx) => this.storeEvents(tx, user, run, events, prepared),
        LOOKS_FOR_CONFLICTS,
      );
    } catch (error) {
      if (error instanceof DryRun) return error.outcomes;
      // The folder is gone or closed, or nothing works: the same for every event.
      if (error instanceof CatalogueError) throw error;
      if (batch.length === 1) return [{ error }];
      log.warn({ error: String(error), events: batch.length }, 'batch refused, going on with its halves');
      // Bisection finds bad events in few steps and stores the good ones.
      const middle = batch.length >> 1;
      const first = await this.store(user, run, batch.slice(0, middle));
      return [...first, ...(await this.store(user, run, batch.slice(middle)))];
    }
  }

  private async storeEvents(
    tx: Transaction,
    user: UserPrincipal,
    { folderId, dryRun, ...progress }: ImportRun,
    events: readonly CalendarEvent[],
    prepared: BatchPreparation,
  ): Promise<ImportOutcome[]> {
    const outcomes = await this.batches.store(tx, user, folderId, events, prepared, progress);
    if (dryRun) throw new DryRun(outcomes);
    return outcomes;
  }

  /** At the end: a later event of the file may bring what looks like a leftover. */
  private async removeDoubles(
    user: UserPrincipal,
    { folderId }: ImportOptions,
    doubles: DuplicateSeries,
    results: ItemResult[],
  ): Promise<void> {
    if (doubles.indexes.size === 0) return;
    for (const id of await this.leftovers.removeSeries(user, folderId, [...doubles.indexes.keys()])) {
      const index = doubles.indexes.get(id)!;
      const { warnings = [], ...result } = results[index]!;
      results[index] = { ...result, warnings: [...warnings, KEPT_WARNING] };
    }
  }

  private finished(user: UserPrincipal, folderId: number): Promise<void> {
    return this.database.transact(user, (tx) =>
      tx.publish(calendarEvents['import.finished'], { folderId, userId: user.userId }),
    );
  }

  private toItemResult(item: Readable, outcome: ImportOutcome, run: ImportRun, user: UserPrincipal): ItemResult {
    if (!('error' in outcome)) {
      // Events that the file brings twice are known since a moment ago.
      if (outcome.isKnown && outcome.lastModified < run.startedAt)
        return toFailure(item, CalendarErrors.uidTaken(item.event.uid), user);
      const place = { index: item.index, ...toItemWarnings(listWarnings(item)) };
      const folder_id = String(run.folderId);
      // Appointments of a dry run have no id.
      if (run.dryRun) return { folder_id, uid: item.event.uid, ...place };
      return { id: String(outcome.id), folder_id, last_modified: outcome.lastModified, ...place };
    }
    const { error } = outcome;
    if (!(error instanceof CatalogueError)) log.error({ index: item.index, error: String(error) }, 'event not stored');
    return toFailure(item, error instanceof CatalogueError ? error : ImportExportErrors.notStored(), user);
  }
}

const toRefusal = (item: ImportedItem, user: UserPrincipal): ItemResult =>
  toFailure(
    item,
    item.error?.reason === 'end-kind-differs'
      ? CalendarErrors.mixedTimes(item.index)
      : ImportExportErrors.refused(`${item.kind}: ${item.error?.message ?? 'no event'}`),
    user,
  );

const toFailure = (item: ImportedItem, error: CatalogueError, { locale }: UserPrincipal): ItemResult =>
  toFailedItem({ ...item, warnings: listWarnings(item) }, error, locale, item.event?.uid);

/** Series split off by an earlier import repeat the same occurrences. */
const KEPT_WARNING = {
  code: 'split-series-kept',
  message: 'a part of this series that was split off stays: no permission to delete it',
};

/** Warning for changes of all that follow which {@link splitRanges} can't express. */
const RANGE_WARNING = {
  code: 'range-not-applied',
  message: 'RANGE=THISANDFUTURE: only the named occurrence was changed',
};

/** Warning for files within an event, which exports hold again and no view shows. */
const FILE_WARNING = {
  code: 'attachment-not-shown',
  message: 'ATTACH: files within the event are not among its attachments',
};

/** Warnings of an item: repaired or omitted values. */
const listWarnings = ({ event, warnings }: ImportedItem): readonly ItemWarning[] => [
  ...warnings,
  ...(event?.recurrenceRange ? [RANGE_WARNING] : []),
  ...(event?.attachments.some(({ uri }) => uri === undefined) ? [FILE_WARNING] : []),
];
