import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { JobRepository } from '../persistence/job.repository';

/** Reads the state of a job. */
@Handles(provisioning.getJob)
export class GetJobHandler implements Handler<typeof provisioning.getJob> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly jobs: JobRepository,
    private readonly clock: Clock,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getJob>) {
    return this.database.read(query, (db) => this.jobs.get(db, query.jobId, this.clock.now()));
  }
}
