import { installation, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { JobPages } from '../jobs/job-pages';

/** How far a job of any context is. */
@Handles(installation.getAnyJob)
export class GetAnyJobHandler implements Handler<typeof installation.getAnyJob> {
  constructor(private readonly pages: JobPages) {}

  handle({ query }: CallOf<typeof installation.getAnyJob>) {
    return this.pages.any(query.jobId);
  }
}
