import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { identityEvents, InstallationErrors } from '@groupware/contracts';
import {
  isConnectionFailure,
  ModuleDatabase,
  schemasWithRows,
  ShardRegistry,
  type Transaction,
} from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { JobRunner, type JobControl } from '../jobs/job-runner';
import type { TakenJob } from '../persistence/job.repository';
import type { Actor } from './actor';
import { ContextEditor } from './context-editor';

const KIND = 'delete-context';
/** Schemas that keep something of a context that is gone: its number, jobs and audit log. */
const DIRECTORY_SCHEMAS = ['identity'];
/** Longest pause between two looks, ms; the first ones are shorter. */
const LOOK_EVERY_MS = 2_000;
/** A module that has data left after so long, ms, is told of: it is down, or cannot remove it. */
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
    runner.define(KIND, (control) => this.work(control));
  }

  /** Removes the context of the transaction from the directory; run the job after the commit. */
  async begin(tx: Transaction, schema: string, actor: Actor): Promise<TakenJob> {
    const job = await this.runner.begin(tx, KIND, { schema, since: this.clock.now() });
    await this.editor.remove(tx, actor);
    return job;
  }

  /** @throws INST-0016 when a module does not come to an end */
  private async work({ job, check }: JobControl): Promise<undefined> {
    const { contextId } = job;
    const { schema, since } = job.task as { schema: string; since: number };
    for (let wait = 50; ; wait = Math.min(2 * wait, LOOK_EVERY_MS)) {
      check();
      const left = await this.left(schema, contextId);
      if (left.length === 0) break;
      if (this.clock.now() - since > GONE_WITHIN_MS) throw InstallationErrors.dataLeft(contextId, left.join(', '));
      await pause(wait);
    }
    await this.database.transact(job, (tx) => tx.publish(identityEvents['context.deleted'], {}));
    return undefined;
  }

  /** Names of those who have something left; the shard itself while nobody can ask it. */
  private async left(schema: string, contextId: number): Promise<string[]> {
    try {
      return await schemasWithRows(await this.registry.shardNamed(schema), contextId, DIRECTORY_SCHEMAS);
    } catch (error) {
      if (isConnectionFailure(error)) return [schema];
      throw error;
    }
  }
}
