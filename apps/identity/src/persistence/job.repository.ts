import { Injectable } from '@nestjs/common';
import { ProvisioningErrors, type Job } from '@groupware/contracts';
import type { Reader, Transaction } from '@groupware/persistence';

const COLUMNS = `job_id::text as id, kind, state, progress, errors, result, created_at as "createdAt",
  finished_at as "finishedAt", seen_at as "seenAt"`;

/** A job without sign of life for so long, ms, died with its process. */
export const INTERRUPTED_AFTER_MS = 600_000;

/** Rows of jobs. */
@Injectable()
export class JobRepository {
  /** A job as it is at a point in time. @throws PROV-0012 */
  async get(db: Reader, jobId: string, now: number): Promise<Job> {
    const job = await db.first<Job & { seenAt: number }>(
      `select ${COLUMNS} from job where context_id = $1 and job_id::text = $2`,
      jobId,
    );
    if (!job) throw ProvisioningErrors.jobNotFound(jobId);
    const { result, finishedAt, seenAt, ...always } = job;
    if (job.state === 'running' && seenAt < now - INTERRUPTED_AFTER_MS)
      return { ...always, state: 'failed', errors: [{ error: 'The process ended before the job did. Repeat it.' }] };
    return { ...always, ...(result ? { result } : {}), ...(finishedAt ? { finishedAt } : {}) };
  }

  /** Notes the begin of a job; answers its id. */
  async begin(tx: Transaction, kind: string, at: number): Promise<string> {
    const row = await tx.first<{ id: string }>(
      `insert into job (context_id, kind, state, created_at, seen_at) values ($1, $2, 'running', $3, $3) returning job_id::text as id`,
      kind,
      at,
    );
    return row!.id;
  }

  /** Notes how far a job is. */
  async progress(tx: Transaction, jobId: string, progress: number, at: number): Promise<void> {
    await tx.run(
      'update job set progress = $3, seen_at = $4 where context_id = $1 and job_id::text = $2',
      jobId,
      progress,
      at,
    );
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
