import { installation, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { JobPages } from '../jobs/job-pages';

/** Reads the state of a job of any context. */
@Handles(installation.getAnyJob)
export class GetAnyJobHandler implements Handler<typeof installation.getAnyJob> {
  constructor(private readonly pages: JobPages) {}

  handle({ principal, query }: CallOf<typeof installation.getAnyJob>) {
    return this.pages.getOfAnyContext(principal, query.jobId);
  }
}
