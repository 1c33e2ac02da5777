import { Injectable } from '@nestjs/common';
import type { Job, JobListQuery, JobPage } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { JobRepository } from '../persistence/job.repository';
import { DEFAULT_LIMIT, selectFields } from '../domain/page';

/** Jobs as operators and administrators see them. */
@Injectable()
export class JobPages {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly jobs: JobRepository,
    private readonly clock: Clock,
  ) {}

  /** One page of jobs, of one context or of all. */
  async listPage(query: JobListQuery & { contextId?: number }): Promise<JobPage> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const found = await this.database.acrossContexts('an operator sees the jobs of all contexts', (db) =>
      this.jobs.list(db, { ...query, limit: limit + 1 }, this.clock.now()),
    );
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const items = selectFields(shown, query);
    return { items, ...(found.length > limit && last ? { next: `${last.createdAt}-${last.id}` } : {}) };
  }

  /** A job of any context. @throws PROV-0012 */
  async getOfAnyContext(jobId: string): Promise<Job> {
    const contextId = await this.database.acrossContexts('the id of a job says whose it is', (db) =>
      this.jobs.getContextId(db, jobId),
    );
    return this.database.read({ contextId }, (db) => this.jobs.get(db, jobId, this.clock.now()));
  }

  /** Requests the cancellation of a job; answers it. @throws PROV-0012 */
  cancelJob(contextId: number, jobId: string): Promise<Job> {
    return this.database.transact({ contextId }, async (tx) => {
      await this.jobs.requestCancel(tx, jobId);
      return this.jobs.get(tx, jobId, this.clock.now());
    });
  }
}
