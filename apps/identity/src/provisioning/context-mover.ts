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
import { JobLost, JobRepository, type TakenJob } from '../persistence/job.repository';
import { ContextRepository, type ContextRow } from '../persistence/context.repository';
import { PlaceRepository } from '../persistence/place.repository';
import type { Actor } from './actor';
import { AfterChange } from './after-change';
import { ContextEditor } from './context-editor';
import { Idempotency, type RepeatableCall } from './idempotency';

const KIND = 'move-context';

/** Schemas whose data stays on the default shard. */
const DIRECTORY_SCHEMAS = ['identity'];

/** Pauses after failures of a store, ms: more and it counts as broken. */
const RETRY_MS = [500, 2_000, 10_000, 30_000];
const MEGABYTE = 1024 * 1024;

interface Task {
  readonly to: string;
  readonly from: string;
  /** Whether rows move; nobody can work in the context meanwhile. */
  readonly rows: boolean;
  /** Where its files go; absent: they stay where they are. */
  readonly files?: { readonly to: number; readonly from: number; readonly bytes: number };
}

/** Moves contexts to other shards and file stores, as jobs. */
@Injectable()
export class ContextMover {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly places: PlaceRepository,
    private readonly registry: ShardRegistry,
    private readonly runner: JobRunner,
    private readonly editor: ContextEditor,
    private readonly after: AfterChange,
    private readonly jobs: JobRepository,
    private readonly caller: Caller,
    private readonly idempotency: Idempotency,
    @Inject(FILES) private readonly stores: FileStores,
  ) {
    runner.define(KIND, (control) => this.work(control));
  }

  /**
   * Begins a move. To another shard: nobody works in the context from now on. To another file store: everybody does, new
   * files go there at once and the others follow. To the store where the context is already: what is left elsewhere follows.
   * A repeated call finds the job that the first one began: `job` is absent then.
   * @throws INST-0010, INST-0011, INST-0014
   */
  async begin(
    contextId: number,
    to: ContextMove,
    actor: Actor,
    repeatable: RepeatableCall,
  ): Promise<{ jobId: string; job?: TakenJob }> {
    if (to.filestoreId !== undefined) await this.expectStore(to.filestoreId);
    const usable = to.schema !== undefined && (await this.registry.isUsable(to.schema));
    const begun = await this.database.transact({ contextId }, async (tx) => {
      let job: TakenJob | undefined;
      const { result } = await this.idempotency.once(tx, 'moveContext', repeatable, async () => {
        job = await this.note(tx, to, usable, actor);
        return { status: 202, result: { id: job.jobId } };
      });
      return { jobId: (result as { id: string }).id, ...(job ? { job } : {}) };
    });
    if (begun.job && to.schema !== undefined) await this.after.contextClosed(contextId);
    return begun;
  }

  /** Notes the job, and that the context is in both places until it ends. */
  private async note(tx: Transaction, to: ContextMove, usable: boolean, actor: Actor): Promise<TakenJob> {
    const context = await this.contexts.lock(tx);
    if (context.state === 'moving' || (await this.jobs.isRunning(tx, KIND)))
      throw InstallationErrors.moving(tx.contextId);
    if (to.schema === undefined && to.filestoreId === undefined)
      throw ProvisioningErrors.invalidField('schema', 'schema or filestoreId is required');
    const files = to.filestoreId === undefined ? undefined : await this.reserve(tx, context, to.filestoreId);
    const schema = to.schema ?? context.schema;
    if (schema !== context.schema && !(usable && (await this.places.countShard(tx, schema, 1))))
      throw InstallationErrors.unknownSchema(schema);
    const rows = to.schema !== undefined;
    if (rows) await this.editor.setLifeCycle(tx, 'moving', actor);
    const task: Task = { to: schema, from: context.schema, rows, ...(files ? { files } : {}) };
    return this.runner.begin(tx, KIND, task);
  }

  /** A store that does not take a byte would leave the context without one. @throws INST-0011 */
  private async expectStore(storeId: number): Promise<void> {
    try {
      const { reference } = await this.stores.write(nothing(), { maxBytes: 0, storeId });
      await this.stores.discard(reference);
    } catch (cause) {
      throw InstallationErrors.unknownFilestore(storeId).with({ cause });
    }
  }

  /** Counts the context into its next store; until it is there it counts in both. @throws INST-0011 */
  private async reserve(tx: Transaction, context: ContextRow, to: number): Promise<Task['files']> {
    const from = context.filestoreId ?? OWN_STORE;
    const files = { to, from, bytes: context.usedBytes };
    if (to === from) return files;
    if ((await this.places.takeFilestore(tx, to, context.usedBytes / MEGABYTE)) === undefined)
      throw InstallationErrors.unknownFilestore(to);
    return files;
  }

  private async work(control: JobControl): Promise<object> {
    const { contextId } = control.job;
    const task = control.job.task as Task;
    const rows = task.rows ? await this.moveRows(control, task) : 0;
    if (!task.files) return { rows };
    await this.changeStore(contextId, task.files);
    return { rows, ...(await this.gather(control, task.files)) };
  }

  private async moveRows({ job, check, progress }: JobControl, task: Task): Promise<number> {
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
      // Another process goes on with it, or does already.
      if (error instanceof JobStopping || error instanceof JobLost) throw error;
      await this.settle(contextId, { at: from, left: to, moved: false, files: task.files });
      throw error;
    }
    await this.settle(contextId, { at: to, left: from, moved: true });
    return rows;
  }

  /** From now on new files go to the next store. */
  private async changeStore(contextId: number, { to, from }: NonNullable<Task['files']>): Promise<void> {
    await this.database.transact({ contextId }, async (tx) => {
      const context = await this.contexts.lock(tx);
      // Another process did it before it ended.
      if (to === from || context.filestoreId === to) return;
      await this.contexts.place(tx, context.schema, to);
      await this.places.leaveFilestore(tx, from);
      await tx.publish(identityEvents['context.moved'], {});
    });
    this.after.filestores({ contextId });
  }

  /** Brings the files of all modules to the store of the context. @throws INST-0015 when some cannot be read */
  private async gather({ job, check, progress }: JobControl, files: NonNullable<Task['files']>): Promise<object> {
    const done = { files: 0, bytes: 0, unreadable: 0 };
    for (const keeper of fileKeepers())
      for (let after: string | undefined; ;) {
        check();
        const step = await this.step(keeper, job.contextId, { storeId: files.to, ...(after ? { after } : {}) });
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

  private async step(
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
      return this.step(keeper, contextId, query, tries + 1);
    }
  }

  private async settle(
    contextId: number,
    { at, left, moved, files }: { at: string; left: string; moved: boolean; files?: Task['files'] },
  ): Promise<void> {
    await this.database.transact({ contextId }, async (tx) => {
      const context = await this.contexts.lock(tx);
      if (context.state !== 'moving') return;
      if (at !== left) await this.places.countShard(tx, left, -1);
      if (files && files.to !== files.from) await this.places.leaveFilestore(tx, files.to);
      await this.contexts.place(tx, at, context.filestoreId ?? OWN_STORE);
      await this.contexts.setState(tx, 'ready');
      if (moved) await tx.publish(identityEvents['context.moved'], {});
    });
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // A file without a byte shows whether a store takes one.
}
