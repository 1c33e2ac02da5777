import { type CallOf, type Handler, type Job, provisioning, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { JobRunner } from '../jobs/job-runner';
import { waitForJob } from '../jobs/job-wait';
import { ContextRepository } from '../persistence/context.repository';
import { JobRepository } from '../persistence/job.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ContextRemover } from '../provisioning/context-remover';
import { requireVersion } from '../provisioning/version';

/** The reply when there was nothing to delete. */
const createEmptyJob = (contextId: number, at: number): Job => ({
  contextId,
  id: '',
  kind: 'delete-context',
  state: 'done',
  progress: 1,
  errors: [],
  createdAt: at,
  finishedAt: at,
});

/** Deletes a context; other modules remove their data on its event. */
@Handles(provisioning.deleteContext)
export class DeleteContextHandler implements Handler<typeof provisioning.deleteContext> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly remover: ContextRemover,
    private readonly runner: JobRunner,
    private readonly jobs: JobRepository,
    private readonly notifier: ChangeNotifier,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, query, edge }: CallOf<typeof provisioning.deleteContext>) {
    const job = await this.database.transact(query, async (tx) => {
      if (query.missingOk && !(await this.contexts.findCurrent(tx))) return undefined;
      const context = await this.contexts.lock(tx);
      requireVersion(edge, context.version);
      return this.remover.startRemoval(tx, context, toActor(principal));
    });
    if (!job) return reply(createEmptyJob(query.contextId, this.clock.now()), { status: 200 });
    await this.notifier.notifyContextClosed(query.contextId);
    await waitForJob(this.runner.runJob(job));
    const told = await this.database.read(query, (db) => this.jobs.get(db, job.jobId, this.clock.now()));
    return reply(told, { headers: { Location: `/admin/v1/contexts/${query.contextId}/jobs/${told.id}` } });
  }
}
