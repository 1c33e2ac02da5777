import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  errorObject,
  ImportExportErrors,
  RequestErrors,
  type ImportedItem as ItemResult,
  type UserPrincipal,
} from '@groupware/contracts';
import { type CalendarEvent, type ImportedItem, readCalendar } from '@groupware/icalendar';
import { ModuleDatabase } from '@groupware/persistence';
import { resolveTimeZone } from '@groupware/recurrence';
import { Logger } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { freshUids, ImportBatch, type ImportOutcome } from './import-batch';

/** How a file is imported. */
export interface ImportOptions {
  readonly folderId: number;
  readonly freshUids: boolean;
  readonly signal: AbortSignal;
}

/** An item of the file with an event. */
type Readable = ImportedItem & { readonly event: CalendarEvent };

const log = Logger.for('calendar.import');

/**
 * Imports a file of iCalendar objects as it streams in. Events are stored in batches, so memory does not grow with the file;
 * when it is cut off, the same file imported again gives the same end state as one clean run.
 */
@Injectable()
export class CalendarImport {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly batches: ImportBatch,
    private readonly config: CalendarConfig,
  ) {}

  /** A result per item in the order of the file. */
  async run(user: UserPrincipal, source: AsyncIterable<Uint8Array>, options: ImportOptions): Promise<ItemResult[]> {
    const results: ItemResult[] = [];
    const rename = options.freshUids ? freshUids() : (event: CalendarEvent) => event;
    let batch: Readable[] = [];
    const flush = async (): Promise<void> => {
      if (options.signal.aborted) throw RequestErrors.deadlinePassed('import');
      const outcomes = await this.store(user, options.folderId, batch);
      for (const [index, item] of batch.entries())
        results[item.index] = this.result(item, outcomes[index]!, options.folderId, user);
      batch = [];
    };
    const items = readCalendar(source, {
      defaultTimeZone: resolveTimeZone(user.timeZone) ?? 'UTC',
      maxItems: this.config.importMaxItems,
    });
    for await (const item of items) {
      if (!item.event) {
        results[item.index] = refused(item, user);
        continue;
      }
      batch.push({ ...item, event: rename(storable(item.event)) });
      if (batch.length >= this.config.importBatch) await flush();
    }
    if (batch.length > 0) await flush();
    return results;
  }

  private async store(user: UserPrincipal, folderId: number, batch: readonly Readable[]): Promise<ImportOutcome[]> {
    const events = batch.map(({ event }) => event);
    try {
      return await this.database.transact(user, (tx) => this.batches.store(tx, user, folderId, events));
    } catch (error) {
      // The folder is gone or closed, or nothing works: the same for every event.
      if (error instanceof CatalogueError) throw error;
      if (batch.length === 1) return [{ error }];
      log.warn({ error: String(error), events: events.length }, 'batch refused, going on one by one');
      const outcomes: ImportOutcome[] = [];
      for (const item of batch) outcomes.push(...(await this.store(user, folderId, [item])));
      return outcomes;
    }
  }

  private result(item: Readable, outcome: ImportOutcome, folderId: number, user: UserPrincipal): ItemResult {
    if (!('error' in outcome))
      return { id: String(outcome.id), folder_id: String(folderId), last_modified: outcome.lastModified };
    const { error } = outcome;
    if (!(error instanceof CatalogueError)) log.error({ index: item.index, error: String(error) }, 'event not stored');
    return failure(item, error instanceof CatalogueError ? error : ImportExportErrors.notStored(), user);
  }
}

/** Postgres takes no NUL and no halves of surrogate pairs; the uid is compared with what is stored. */
const storable = (event: CalendarEvent): CalendarEvent => ({
  ...event,
  uid: Buffer.from(event.uid.replaceAll('\u0000', '')).toString(),
});

const refused = (item: ImportedItem, user: UserPrincipal): ItemResult =>
  failure(item, ImportExportErrors.refused(`${item.kind}: ${item.error?.message ?? 'no event'}`), user);

const failure = (item: ImportedItem, error: CatalogueError, user: UserPrincipal): ItemResult => ({
  index: item.index,
  line_number: item.error?.line ?? item.line,
  ...(item.event && { uid: item.event.uid }),
  ...errorObject(error, user.locale),
});
