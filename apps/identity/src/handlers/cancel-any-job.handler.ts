import { installation, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { JobPages } from '../jobs/job-pages';

/** Ends a job of any context. */
@Handles(installation.cancelAnyJob)
export class CancelAnyJobHandler implements Handler<typeof installation.cancelAnyJob> {
  constructor(private readonly pages: JobPages) {}

  async handle({ principal, query }: CallOf<typeof installation.cancelAnyJob>) {
    const { contextId } = await this.pages.getOfAnyContext(principal, query.jobId);
    return this.pages.cancelJob(contextId, query.jobId);
  }
}
