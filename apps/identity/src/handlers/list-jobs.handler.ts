import { provisioning, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { JobPages } from '../jobs/job-pages';

/** Lists jobs of a context. */
@Handles(provisioning.listJobs)
export class ListJobsHandler implements Handler<typeof provisioning.listJobs> {
  constructor(private readonly pages: JobPages) {}

  handle({ query }: CallOf<typeof provisioning.listJobs>) {
    return this.pages.listPage(query);
  }
}
