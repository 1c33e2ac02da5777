import { Injectable } from '@nestjs/common';
import { RestErrors, type AdminPrincipal, type Job, type JobListQuery, type JobPage } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Resellers } from '../configuration/resellers';
import { JobRepository } from '../persistence/job.repository';
import { DEFAULT_LIMIT, selectFields } from '../domain/page';

/** Jobs as operators and administrators see them. */
@Injectable()
export class JobPages {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly jobs: JobRepository,
    private readonly clock: Clock,
    private readonly resellers: Resellers,
  ) {}

  /** One page of jobs of all contexts that an administrator is responsible for. */
  async listOfAllContexts(principal: AdminPrincipal, query: JobListQuery): Promise<JobPage> {
    return this.listPage({ ...query, scope: await this.resellers.findScope(principal) });
  }

  /** One page of jobs, of one context, of those of some resellers, or of all. */
  async listPage(
    query: JobListQuery & { readonly contextId?: number; readonly scope?: readonly string[] },
  ): Promise<JobPage> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const found = await this.database.acrossContexts('an operator sees the jobs of all contexts', (db) =>
      this.jobs.list(db, { ...query, limit: limit + 1 }, this.clock.now()),
    );
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const items = selectFields(shown, query);
    return { items, ...(found.length > limit && last ? { next: `${last.createdAt}-${last.id}` } : {}) };
  }

  /** A job of any context that an administrator is responsible for. @throws PROV-0012, REST-0403 */
  async getOfAnyContext(principal: AdminPrincipal, jobId: string): Promise<Job> {
    const scope = await this.resellers.findScope(principal);
    const { contextId, reseller } = await this.database.acrossContexts('the id of a job says whose it is', (db) =>
      this.jobs.getPlace(db, jobId),
    );
    if (scope && (reseller === null || !scope.includes(reseller))) throw RestErrors.forbidden();
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
