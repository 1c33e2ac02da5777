import { provisioning, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { JobPages } from '../jobs/job-pages';

/** Ends a job. */
@Handles(provisioning.cancelJob)
export class CancelJobHandler implements Handler<typeof provisioning.cancelJob> {
  constructor(private readonly pages: JobPages) {}

  handle({ query }: CallOf<typeof provisioning.cancelJob>) {
    return this.pages.cancelJob(query.contextId, query.jobId);
  }
}
