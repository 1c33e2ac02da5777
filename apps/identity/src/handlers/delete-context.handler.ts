import { type CallOf, type Handler, type Job, provisioning, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { JobRunner } from '../jobs/job-runner';
import { patiently } from '../jobs/patience';
import { ContextRepository } from '../persistence/context.repository';
import { JobRepository } from '../persistence/job.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { ContextRemover } from '../provisioning/context-remover';
import { expectVersion } from '../provisioning/version';

/** The answer where there was nothing to delete. */
const nothing = (contextId: number, at: number): Job => ({
  contextId,
  id: '',
  kind: 'delete-context',
  state: 'done',
  progress: 1,
  errors: [],
  createdAt: at,
  finishedAt: at,
});

/** Deletes a context; other modules remove their data when they hear of it. */
@Handles(provisioning.deleteContext)
export class DeleteContextHandler implements Handler<typeof provisioning.deleteContext> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly remover: ContextRemover,
    private readonly runner: JobRunner,
    private readonly jobs: JobRepository,
    private readonly after: AfterChange,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, query, edge }: CallOf<typeof provisioning.deleteContext>) {
    const job = await this.database.transact(query, async (tx) => {
      if (query.missingOk && !(await this.contexts.find(tx))) return undefined;
      const { version, schema } = await this.contexts.lock(tx);
      expectVersion(edge, version);
      return this.remover.begin(tx, schema, actorOf(principal));
    });
    if (!job) return reply(nothing(query.contextId, this.clock.now()), { status: 200 });
    await this.after.contextClosed(query.contextId);
    await patiently(this.runner.run(job));
    const told = await this.database.read(query, (db) => this.jobs.get(db, job.jobId, this.clock.now()));
    return reply(told, { headers: { Location: `/admin/v1/contexts/${query.contextId}/jobs/${told.id}` } });
  }
}
