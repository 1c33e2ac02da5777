import { Injectable } from '@nestjs/common';
import { ProvisioningErrors, type Job } from '@groupware/contracts';
import type { Reader, Transaction } from '@groupware/persistence';

const COLUMNS = `job_id::text as id, kind, state, progress, errors, result, created_at as "createdAt",
  finished_at as "finishedAt"`;

/** Rows of jobs. */
@Injectable()
export class JobRepository {
  /** A job. @throws PROV-0012 */
  async get(db: Reader, jobId: string): Promise<Job> {
    const job = await db.first<Job>(`select ${COLUMNS} from job where context_id = $1 and job_id::text = $2`, jobId);
    if (!job) throw ProvisioningErrors.jobNotFound(jobId);
    const { result, finishedAt, ...always } = job;
    return { ...always, ...(result ? { result } : {}), ...(finishedAt ? { finishedAt } : {}) };
  }

  /** Notes the begin of a job; answers its id. */
  async begin(tx: Transaction, kind: string, at: number): Promise<string> {
    const row = await tx.first<{ id: string }>(
      `insert into job (context_id, kind, state, created_at) values ($1, $2, 'running', $3) returning job_id::text as id`,
      kind,
      at,
    );
    return row!.id;
  }

  /** Notes how far a job is. */
  async progress(tx: Transaction, jobId: string, progress: number): Promise<void> {
    await tx.run('update job set progress = $3 where context_id = $1 and job_id::text = $2', jobId, progress);
  }

  /** Notes the end of a job. */
  async end(
    tx: Transaction,
    jobId: string,
    outcome: { state: 'done' | 'failed'; result?: object; errors: readonly unknown[]; at: number },
  ): Promise<void> {
    await tx.run(
      `update job set state = $3, progress = 1, result = $4::jsonb, errors = $5::jsonb, finished_at = $6
       where context_id = $1 and job_id::text = $2`,
      jobId,
      outcome.state,
      outcome.result ? JSON.stringify(outcome.result) : null,
      JSON.stringify(outcome.errors),
      outcome.at,
    );
  }
}
