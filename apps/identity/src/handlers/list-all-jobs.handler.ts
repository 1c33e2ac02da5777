import { installation, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { JobPages } from '../jobs/job-pages';

/** Lists jobs of all contexts of an administrator. */
@Handles(installation.listAllJobs)
export class ListAllJobsHandler implements Handler<typeof installation.listAllJobs> {
  constructor(private readonly pages: JobPages) {}

  handle({ principal, query }: CallOf<typeof installation.listAllJobs>) {
    return this.pages.listOfAllContexts(principal, query);
  }
}
