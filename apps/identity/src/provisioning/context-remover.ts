import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { identityEvents, InstallationErrors } from '@groupware/contracts';
import {
  isConnectionFailure,
  ModuleDatabase,
  removeCallNotes,
  schemasWithRows,
  ShardRegistry,
  type Transaction,
} from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { JobRunner, type JobControl } from '../jobs/job-runner';
import type { ContextRow } from '../persistence/context.repository';
import type { RunningJob } from '../persistence/job.repository';
import type { Actor } from '../domain/actor';
import { ContextEditor } from './context-editor';

const KIND = 'delete-context';
/** Schemas that keep data of removed contexts: id, jobs and audit log. */
const DIRECTORY_SCHEMAS = ['identity'];
/** Maximum polling interval, ms; the first ones are shorter. */
const LOOK_EVERY_MS = 2_000;
/** Deadline for modules to remove their data, ms; leftovers are reported. */
const GONE_WITHIN_MS = 600_000;

/** Removes contexts: the directory at once, the rest as a job that ends when no module holds a row any more. */
@Injectable()
export class ContextRemover {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: ContextEditor,
    private readonly runner: JobRunner,
    private readonly registry: ShardRegistry,
    private readonly clock: Clock,
  ) {
    runner.registerKind(KIND, (control) => this.runRemoval(control));
  }

  /** Removes the context of the transaction from the directory; run the job after the commit. */
  async startRemoval(
    tx: Transaction,
    { schema, reseller }: Pick<ContextRow, 'schema' | 'reseller'>,
    actor: Actor,
  ): Promise<RunningJob> {
    const job = await this.runner.createJob(tx, KIND, { schema, reseller, since: this.clock.now() });
    await this.editor.removeContext(tx, actor);
    return job;
  }

  /** @throws INST-0016 when a module does not come to an end */
  private async runRemoval({ job, check }: JobControl): Promise<undefined> {
    const { contextId } = job;
    const { schema, since } = job.task as { schema: string; since: number };
    for (let wait = 50; ; wait = Math.min(2 * wait, LOOK_EVERY_MS)) {
      check();
      const left = await this.listLeftovers(schema, contextId);
      if (left.length === 0) break;
      if (this.clock.now() - since > GONE_WITHIN_MS) throw InstallationErrors.dataLeft(contextId, left.join(', '));
      await pause(wait);
    }
    await this.database.transact(job, (tx) => tx.publish(identityEvents['context.deleted'], {}));
    return undefined;
  }

  /** Lists schemas with leftover rows; the shard itself while it is unavailable. */
  private async listLeftovers(schema: string, contextId: number): Promise<string[]> {
    try {
      const shard = await this.registry.shardNamed(schema);
      await removeCallNotes(shard, contextId, DIRECTORY_SCHEMAS);
      return await schemasWithRows(shard, contextId, DIRECTORY_SCHEMAS);
    } catch (error) {
      if (isConnectionFailure(error)) return [schema];
      throw error;
    }
  }
}
