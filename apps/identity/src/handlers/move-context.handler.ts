import { provisioning, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { JobRunner } from '../jobs/job-runner';
import { JobRepository } from '../persistence/job.repository';
import { toActor } from '../domain/actor';
import { ContextMover } from '../provisioning/context-mover';

/** Moves a context to another shard or file store. */
@Handles(provisioning.moveContext)
export class MoveContextHandler implements Handler<typeof provisioning.moveContext> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly mover: ContextMover,
    private readonly runner: JobRunner,
    private readonly jobs: JobRepository,
    private readonly clock: Clock,
  ) {}

  async handle(call: CallOf<typeof provisioning.moveContext>) {
    const { principal, query, body } = call;
    const { jobId, job: taken } = await this.mover.startMove(query.contextId, body, toActor(principal), call);
    const job = await this.database.read(query, (db) => this.jobs.get(db, jobId, this.clock.now()));
    if (taken) void this.runner.runJob(taken);
    return reply(job, { headers: { Location: `/admin/v1/contexts/${query.contextId}/jobs/${jobId}` } });
  }
}
