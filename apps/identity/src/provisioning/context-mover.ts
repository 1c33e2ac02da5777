import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import {
  CatalogueError,
  fileKeepers,
  identityEvents,
  InstallationErrors,
  ProvisioningErrors,
  RequestErrors,
  type ContextMove,
  type FileKeeper,
  type GatheredFiles,
} from '@groupware/contracts';
import { FILES, OWN_STORE, type FileStores } from '@groupware/file-store';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase, moveContext, ShardRegistry, type Transaction } from '@groupware/persistence';
import { JobRunner, JobStopping, type JobControl } from '../jobs/job-runner';
import { JobLeaseLost, JobRepository, type RunningJob } from '../persistence/job.repository';
import { ContextRepository, type ContextRow } from '../persistence/context.repository';
import { CapacityRepository } from '../persistence/capacity.repository';
import type { Actor } from '../domain/actor';
import { ChangeNotifier } from './change-notifier';
import { ContextEditor } from './context-editor';
import { Idempotency, type RepeatableCall } from './idempotency';

const KIND = 'move-context';

/** Schemas whose data stays on the default shard. */
const DIRECTORY_SCHEMAS = ['identity'];

/** Backoff after failures of a store, ms; one more failure and the move fails. */
const RETRY_MS = [500, 2_000, 10_000, 30_000];
const MEGABYTE = 1024 * 1024;

interface MoveTask {
  readonly to: string;
  readonly from: string;
  /** Whether rows move; the context is unavailable meanwhile. */
  readonly rows: boolean;
  /** Target of its files; absent: they stay. */
  readonly files?: { readonly to: number; readonly from: number; readonly bytes: number };
}

/** Moves contexts to other shards and file stores, as jobs. */
@Injectable()
export class ContextMover {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly capacity: CapacityRepository,
    private readonly registry: ShardRegistry,
    private readonly runner: JobRunner,
    private readonly editor: ContextEditor,
    private readonly notifier: ChangeNotifier,
    private readonly jobs: JobRepository,
    private readonly caller: Caller,
    private readonly idempotency: Idempotency,
    @Inject(FILES) private readonly stores: FileStores,
  ) {
    runner.registerKind(KIND, (control) => this.runMove(control));
  }

  /**
   * Starts a move. To another shard: the context is unavailable from now on. To another file store: it stays available,
   * new files go there at once and the others follow. To its current store: files left elsewhere follow. A repeated
   * call finds the job of the first one: `job` is absent then.
   * @throws INST-0010, INST-0011, INST-0014
   */
  async startMove(
    contextId: number,
    to: ContextMove,
    actor: Actor,
    repeatable: RepeatableCall,
  ): Promise<{ jobId: string; job?: RunningJob }> {
    if (to.filestoreId !== undefined) await this.requireWritableStore(to.filestoreId);
    const usable = to.schema !== undefined && (await this.registry.isUsable(to.schema));
    const begun = await this.database.transact({ contextId }, async (tx) => {
      let job: RunningJob | undefined;
      const { result } = await this.idempotency.runOnce(tx, 'moveContext', repeatable, async () => {
        job = await this.createJob(tx, to, usable, actor);
        return { status: 202, result: { id: job.jobId } };
      });
      return { jobId: (result as { id: string }).id, ...(job ? { job } : {}) };
    });
    if (begun.job && to.schema !== undefined) await this.notifier.notifyContextClosed(contextId);
    return begun;
  }

  /** Creates the job and counts the context in both places until it ends. */
  private async createJob(tx: Transaction, to: ContextMove, usable: boolean, actor: Actor): Promise<RunningJob> {
    const context = await this.contexts.lock(tx);
    if (context.state === 'moving' || (await this.jobs.isRunning(tx, KIND)))
      throw InstallationErrors.moving(tx.contextId);
    if (to.schema === undefined && to.filestoreId === undefined)
      throw ProvisioningErrors.invalidField('schema', 'schema or filestoreId is required');
    const files = to.filestoreId === undefined ? undefined : await this.reserveStore(tx, context, to.filestoreId);
    const schema = to.schema ?? context.schema;
    if (schema !== context.schema && !(usable && (await this.capacity.adjustShardCount(tx, schema, 1))))
      throw InstallationErrors.unknownSchema(schema);
    const rows = to.schema !== undefined;
    if (rows) await this.editor.setLifeCycle(tx, 'moving', actor);
    const task: MoveTask = { to: schema, from: context.schema, rows, ...(files ? { files } : {}) };
    return this.runner.createJob(tx, KIND, task);
  }

  /** Requires a writable target store. @throws INST-0011 */
  private async requireWritableStore(storeId: number): Promise<void> {
    try {
      const { reference } = await this.stores.write(createEmptyStream(), { maxBytes: 0, storeId });
      await this.stores.discard(reference);
    } catch (cause) {
      throw InstallationErrors.unknownFilestore(storeId).with({ cause });
    }
  }

  /** Counts the context into its target store; it counts in both until the move ends. @throws INST-0011 */
  private async reserveStore(tx: Transaction, context: ContextRow, to: number): Promise<MoveTask['files']> {
    const from = context.filestoreId ?? OWN_STORE;
    const files = { to, from, bytes: context.usedBytes };
    if (to === from) return files;
    if ((await this.capacity.allocateFilestore(tx, to, context.usedBytes / MEGABYTE)) === undefined)
      throw InstallationErrors.unknownFilestore(to);
    return files;
  }

  private async runMove(control: JobControl): Promise<object> {
    const { contextId } = control.job;
    const task = control.job.task as MoveTask;
    const rows = task.rows ? await this.moveRows(control, task) : 0;
    if (!task.files) return { rows };
    await this.switchStore(contextId, task.files);
    return { rows, ...(await this.gatherFiles(control, task.files)) };
  }

  private async moveRows({ job, check, progress }: JobControl, task: MoveTask): Promise<number> {
    const { contextId } = job;
    const { to, from } = task;
    let rows = 0;
    try {
      if (to !== from)
        rows = await moveContext({
          registry: this.registry,
          contextId,
          from,
          to,
          exceptSchemas: DIRECTORY_SCHEMAS,
          onProgress: async (share) => {
            check();
            progress(share);
          },
        });
    } catch (error) {
      // Another process takes over, or did already.
      if (error instanceof JobStopping || error instanceof JobLeaseLost) throw error;
      await this.endMove(contextId, { at: from, left: to, moved: false, files: task.files });
      throw error;
    }
    await this.endMove(contextId, { at: to, left: from, moved: true });
    return rows;
  }

  /** Directs new files to the target store. */
  private async switchStore(contextId: number, { to, from }: NonNullable<MoveTask['files']>): Promise<void> {
    await this.database.transact({ contextId }, async (tx) => {
      const context = await this.contexts.lock(tx);
      // Already done by a process that died.
      if (to === from || context.filestoreId === to) return;
      await this.contexts.updatePlace(tx, context.schema, to);
      await this.capacity.releaseFilestore(tx, from);
      await tx.publish(identityEvents['context.moved'], {});
    });
    this.notifier.notifyFilestoresChanged({ contextId });
  }

  /** Moves the files of all modules to the store of the context. @throws INST-0015 when some cannot be read */
  private async gatherFiles(
    { job, check, progress }: JobControl,
    files: NonNullable<MoveTask['files']>,
  ): Promise<object> {
    const done = { files: 0, bytes: 0, unreadable: 0 };
    for (const keeper of fileKeepers())
      for (let after: string | undefined; ;) {
        check();
        const step = await this.gatherBatch(keeper, job.contextId, { storeId: files.to, ...(after ? { after } : {}) });
        done.files += step.files;
        done.bytes += step.bytes;
        done.unreadable += step.unreadable;
        if (files.bytes > 0) progress(Math.min(1, done.bytes / files.bytes));
        after = step.next;
        if (after === undefined) break;
      }
    if (done.unreadable > 0) throw InstallationErrors.filesLeft(done.unreadable);
    return done;
  }

  private async gatherBatch(
    keeper: FileKeeper,
    contextId: number,
    query: { storeId: number; after?: string },
    tries = 0,
  ): Promise<GatheredFiles> {
    try {
      return await this.caller.call(keeper.gather, {
        principal: { kind: 'internal', service: 'identity', contextId },
        query,
      });
    } catch (error) {
      const isDown =
        error instanceof CatalogueError &&
        error.entry.category === 'SERVICE_DOWN' &&
        !error.is(RequestErrors.serviceUnavailable);
      if (!isDown || tries >= RETRY_MS.length) throw error;
      await pause(RETRY_MS[tries]);
      return this.gatherBatch(keeper, contextId, query, tries + 1);
    }
  }

  private async endMove(
    contextId: number,
    { at, left, moved, files }: { at: string; left: string; moved: boolean; files?: MoveTask['files'] },
  ): Promise<void> {
    await this.database.transact({ contextId }, async (tx) => {
      const context = await this.contexts.lock(tx);
      if (context.state !== 'moving') return;
      if (at !== left) await this.capacity.adjustShardCount(tx, left, -1);
      if (files && files.to !== files.from) await this.capacity.releaseFilestore(tx, files.to);
      await this.contexts.updatePlace(tx, at, context.filestoreId ?? OWN_STORE);
      await this.contexts.updateState(tx, 'ready');
      if (moved) await tx.publish(identityEvents['context.moved'], {});
    });
  }
}

async function* createEmptyStream(): AsyncGenerator<Uint8Array> {
  // A file without a byte shows whether a store takes one.
}
