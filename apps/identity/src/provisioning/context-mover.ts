import { Injectable } from '@nestjs/common';
import { identityEvents, InstallationErrors, ProvisioningErrors, type ContextMove } from '@groupware/contracts';
import { ModuleDatabase, moveContext, ShardRegistry } from '@groupware/persistence';
import { JobRunner, JobStopping, type JobControl } from '../jobs/job-runner';
import { JobLost, type TakenJob } from '../persistence/job.repository';
import { ContextRepository } from '../persistence/context.repository';
import { PlaceRepository } from '../persistence/place.repository';
import type { Actor } from './actor';
import { AfterChange } from './after-change';
import { ContextEditor } from './context-editor';

const KIND = 'move-context';

/** Schemas whose data stays on the default shard. */
const DIRECTORY_SCHEMAS = ['identity'];

interface Task {
  readonly to: string;
  readonly from: string;
}

/** Moves contexts to other shards, as jobs. */
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
  ) {
    runner.define(KIND, (control) => this.work(control));
  }

  /**
   * Begins a move: nobody works in the context from now on.
   * @throws INST-0010, INST-0011, INST-0014
   */
  async begin(contextId: number, to: ContextMove, actor: Actor): Promise<TakenJob> {
    const usable = to.schema !== undefined && (await this.registry.isUsable(to.schema));
    const job = await this.database.transact({ contextId }, async (tx) => {
      const context = await this.contexts.lock(tx);
      if (context.state === 'moving') throw InstallationErrors.moving(contextId);
      if (to.schema === undefined && to.filestoreId === undefined)
        throw ProvisioningErrors.invalidField('schema', 'schema or filestoreId is required');
      // Files of all contexts lie in the store of the setting FILESTORE_URL.
      if (to.filestoreId !== undefined && to.filestoreId !== context.filestoreId)
        throw InstallationErrors.unknownFilestore(to.filestoreId);
      const schema = to.schema ?? context.schema;
      if (schema !== context.schema && !(usable && (await this.places.countShard(tx, schema, 1))))
        throw InstallationErrors.unknownSchema(schema);
      await this.editor.setLifeCycle(tx, 'moving', actor);
      const task: Task = { to: schema, from: context.schema };
      return this.runner.begin(tx, KIND, task);
    });
    await this.after.contextClosed(contextId);
    return job;
  }

  private async work({ job, check, progress }: JobControl): Promise<object> {
    const { contextId } = job;
    const { to, from } = job.task as Task;
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
      await this.settle(contextId, { at: from, left: to, moved: false });
      throw error;
    }
    await this.settle(contextId, { at: to, left: from, moved: true });
    return { rows };
  }

  private async settle(
    contextId: number,
    { at, left, moved }: { at: string; left: string; moved: boolean },
  ): Promise<void> {
    await this.database.transact({ contextId }, async (tx) => {
      const context = await this.contexts.lock(tx);
      if (context.state !== 'moving') return;
      if (at !== left) await this.places.countShard(tx, left, -1);
      await this.contexts.place(tx, at, context.filestoreId ?? 1);
      await this.contexts.setState(tx, 'ready');
      if (moved) await tx.publish(identityEvents['context.moved'], {});
    });
  }
}
