import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  CatalogueError,
  ImportExportErrors,
  MAX_IMPORTED_TASKS,
  QuotaErrors,
  RequestErrors,
  toFailedItem,
  toImportReply,
  toItemWarnings,
  type ImportedItem as ItemResult,
  type Reply,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { type ImportedItem, readCalendar } from '@groupware/icalendar';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger, pauseAfterTurn, Properties, storeInBatches, storeWithHalves } from '@groupware/service-kit';
import { requestZone } from '../domain/task-id';
import { FolderAccess, requireMayCreate } from '../folders/folder-access';
import { TaskQuota } from '../tasks/task-quota';
import { TasksConfig } from '../tasks.config';
import { ImportBatch, type ImportOutcome, type ImportRun, type ReadableItem } from './import-batch';

/** File to import, and the folder that takes its tasks. */
export interface ImportRequest {
  readonly folderId: number;
  readonly file: UploadedFile;
  /** Every task gets a new unique id. */
  readonly freshUids: boolean;
  readonly signal: AbortSignal;
}

const log = Logger.for('tasks.import');

/**
 * Imports a file of iCalendar tasks as it streams in: they are stored in batches of one transaction each, so memory does not grow
 * with the file. The same file imported again after an interruption finds what is stored already.
 */
@Injectable()
export class TaskImport {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly batches: ImportBatch,
    private readonly quota: TaskQuota,
    private readonly properties: Properties,
    private readonly config: TasksConfig,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  /** A result per component in the order of the file. @throws TSK-0025, TSK-0059, FLD-0008, I_E-1315 for a file that is no calendar */
  async importFile(user: UserPrincipal, request: ImportRequest): Promise<Reply<ItemResult[]>> {
    const { folderId, file, signal } = request;
    const [quota, limit] = await Promise.all([
      this.quota.getLimit(user),
      this.properties.get(MAX_IMPORTED_TASKS, user),
    ]);
    const most = limit < 0 ? this.config.importMaxItems : Math.min(limit, this.config.importMaxItems);
    const run: ImportRun = { folderId, quota, ...(request.freshUids && { freshUids: randomUUID() }) };
    const results: ItemResult[] = [];
    let isLimited = false;
    let isCalendar = false;
    // Also a file without any task is not for folders in which the user may not create.
    await this.database.transact(user, async (tx) => {
      requireMayCreate((await this.access.lockFolders(tx, user, [folderId])).get(folderId)!);
    });
    const items = readCalendar(this.files.read(file.reference), {
      kind: 'VTODO',
      defaultTimeZone: requestZone(undefined, user.timeZone),
      maxItems: most,
      maxItemBytes: this.config.importMaxItemBytes,
      onCalendar: () => (isCalendar = true),
      pause: pauseAfterTurn,
    });
    const readable = async function* (): AsyncGenerator<ReadableItem> {
      for await (const item of items) {
        if (item.error?.reason === 'too-many-items') isLimited = true;
        else if (item.todo) yield { ...item, todo: item.todo };
        else results[item.index] = toFailure(item, toRefusal(item), user);
      }
    };
    await storeInBatches(readable(), this.config.importBatch, async (batch) => {
      if (signal.aborted) throw RequestErrors.deadlinePassed('import');
      const outcomes = await this.store(user, run, batch);
      for (const [at, item] of batch.entries()) results[item.index] = toResult(item, outcomes[at]!, folderId, user);
    });
    if (!isCalendar && results.length === 0 && !isLimited) throw ImportExportErrors.noContent();
    return toImportReply(results, isLimited ? [ImportExportErrors.limitReached(most)] : []);
  }

  private store(
    user: UserPrincipal,
    run: ImportRun,
    whole: readonly ReadableItem[],
  ): Promise<readonly ImportOutcome[]> {
    return storeWithHalves(
      whole,
      async (batch) => {
        const around = await this.batches.prepare(user, batch);
        return this.database.transact(user, (tx) => this.batches.store(tx, user, run, batch, around));
      },
      (error, { index }): ImportOutcome => {
        if (error instanceof CatalogueError) {
          if (error.is(QuotaErrors.exceeded)) return { error };
          // The folder is gone or closed, or nothing works: the same for every task.
          throw error;
        }
        log.warn({ index, error: String(error) }, 'tasks not stored together');
        return { error: ImportExportErrors.notStored() };
      },
    );
  }
}

const toRefusal = ({ kind, error }: ImportedItem): CatalogueError =>
  ImportExportErrors.refused(`${kind}: ${error?.message ?? 'no task'}`);

const toFailure = (item: ImportedItem, error: CatalogueError, { locale }: UserPrincipal): ItemResult =>
  toFailedItem(item, error, locale, item.todo?.uid);

const toResult = (item: ReadableItem, outcome: ImportOutcome, folderId: number, user: UserPrincipal): ItemResult =>
  'error' in outcome
    ? toFailure(item, outcome.error, user)
    : {
        id: String(outcome.id),
        folder_id: String(folderId),
        last_modified: outcome.lastModified,
        index: item.index,
        ...toItemWarnings(item.warnings),
      };
