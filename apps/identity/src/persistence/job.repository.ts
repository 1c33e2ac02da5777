import { Injectable } from '@nestjs/common';
import {
  ProvisioningErrors,
  RestErrors,
  type ImportedPassword,
  type ImportedPasswords,
  type ImportRowError,
  type Job,
} from '@groupware/contracts';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import { toSearchPattern } from '../domain/search-pattern';

const COLUMNS = `context_id as "contextId", job_id::text as id, kind, state, progress, errors, result, created_at as "createdAt",
  finished_at as "finishedAt", seen_at as "seenAt", task is not null as resumable,
  position, created, changed, unchanged, disabled`;

/** Lease duration after which a job that cannot be resumed counts as interrupted, ms. */
const INTERRUPTED_AFTER_MS = 600_000;
/** Errors that are reported row by row; more are only counted. */
const MAX_REPORTED_ERRORS = 5_000;

/** A job leased by a process. */
export interface RunningJob {
  readonly contextId: number;
  readonly jobId: string;
  /** Id of the lease holder; another runner may take over. */
  readonly runner: string;
  readonly kind: string;
  readonly task: object;
  /** Number of completed steps. */
  readonly position: number;
}

/** Outcome of a step. */
export interface JobStep {
  readonly effect?: 'created' | 'changed' | 'unchanged' | 'disabled';
  readonly error?: ImportRowError;
  /** Secret for the caller about a user imported without password. */
  readonly password?: Omit<ImportedPassword, 'name'>;
}

/** Filter of job lists. */
export interface JobFilter {
  readonly contextId?: number;
  /** Only jobs of contexts of these resellers; absent: all. */
  readonly scope?: readonly string[];
  readonly state?: string;
  readonly kind?: string;
  readonly q?: string;
  readonly limit: number;
  readonly after?: string;
}

/** Reseller of the context of a job; the removal of a context notes whose it was. */
const OWNER = `coalesce((select c.reseller from context c where c.context_id = job.context_id), task ->> 'reseller')`;

/** The lease of the job passed to another runner. */
export class JobLeaseLost extends Error {
  constructor() {
    super('the job was taken over');
  }
}

interface Row extends Job {
  readonly seenAt: number;
  readonly resumable: boolean;
  readonly position: number;
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly disabled: number;
}

/** Rows of jobs. */
@Injectable()
export class JobRepository {
  /** Reads a job as of a point in time. @throws PROV-0012 */
  async get(db: Reader, jobId: string, now: number): Promise<Job> {
    const row = await db.first<Row>(`select ${COLUMNS} from job where context_id = $1 and job_id::text = $2`, jobId);
    if (!row) throw ProvisioningErrors.jobNotFound(jobId);
    const errors = await db.objects<ImportRowError>(
      `select position as row, field, code, error from job_row_error
       where context_id = $1 and job_id::text = $2 order by position limit ${MAX_REPORTED_ERRORS}`,
      jobId,
    );
    const failed = await db.text(
      'select count(*) from job_row_error where context_id = $1 and job_id::text = $2',
      jobId,
    );
    return toJob(row, now, { errors, failed: Number(failed) });
  }

  /** The context of a job of any context, and the reseller of that. @throws PROV-0012 */
  async getPlace(
    db: AdministrationTransaction,
    jobId: string,
  ): Promise<{ readonly contextId: number; readonly reseller: string | null }> {
    const place = await db.first<{ contextId: number; reseller: string | null }>(
      `select context_id as "contextId", ${OWNER} as reseller from job where job_id::text = $1`,
      jobId,
    );
    if (!place) throw ProvisioningErrors.jobNotFound(jobId);
    return place;
  }

  /** Jobs, the newest first; the cursor is time and id of the last one. @throws REST-0400 for a bad cursor */
  async list(db: AdministrationTransaction, filter: JobFilter, now: number): Promise<Job[]> {
    const cursor = /^(\d{1,16})-([0-9a-f-]{36})$/.exec(filter.after ?? '');
    if (filter.after !== undefined && !cursor) throw RestErrors.invalid('after');
    const rows = await db.objects<Row>(
      `select ${COLUMNS} from job
       where ($1::int is null or context_id = $1) and ($2::text is null or state = $2) and ($3::text is null or kind = $3)
         and ($4::bigint is null or (created_at, job_id) < ($4, $5::uuid))
         and ($7::text is null or kind ilike $7 or job_id::text like $7)
         and ($8::text[] is null or ${OWNER} = any ($8))
       order by created_at desc, job_id desc limit $6`,
      filter.contextId ?? null,
      filter.state ?? null,
      filter.kind ?? null,
      cursor ? Number(cursor[1]) : null,
      cursor ? cursor[2] : null,
      filter.limit,
      filter.q === undefined ? null : toSearchPattern(filter.q),
      filter.scope ?? null,
    );
    return rows.map((row) => toJob(row, now));
  }

  /** Inserts a job; answers its id. With a task, another process can take over. */
  async insert(tx: Transaction, kind: string, at: number, work?: { task: object; runner: string }): Promise<string> {
    const row = await tx.first<{ id: string }>(
      `insert into job (context_id, kind, state, created_at, seen_at, task, runner)
       values ($1, $2, 'running', $3, $3, $4::jsonb, $5::uuid) returning job_id::text as id`,
      kind,
      at,
      work ? JSON.stringify(work.task) : null,
      work?.runner ?? null,
    );
    return row!.id;
  }

  /** Whether a job of this kind is under way in the context. */
  async isRunning(tx: Transaction, kind: string): Promise<boolean> {
    const rows = await tx.rows(
      `select from job where context_id = $1 and kind = $2 and state = 'running' limit 1`,
      kind,
    );
    return rows.length > 0;
  }

  /** Takes over a job whose lease was not renewed since `before`; undefined when there is none. */
  async takeOverStale(
    db: AdministrationTransaction,
    runner: string,
    kinds: readonly string[],
    at: { now: number; before: number },
  ): Promise<RunningJob | undefined> {
    return db.first<RunningJob>(
      `update job set runner = $1::uuid, seen_at = $3
       where (context_id, job_id) = (
         select context_id, job_id from job
         where state = 'running' and seen_at < $4 and task is not null and kind = any ($2::text[])
         order by seen_at limit 1 for update skip locked)
       returning context_id as "contextId", job_id::text as "jobId", runner::text, kind, task, position`,
      runner,
      kinds,
      at.now,
      at.before,
    );
  }

  /** Renews the lease; answers whether cancellation was requested. @throws JobLost */
  async renewLease(tx: Transaction, job: RunningJob, at: number, progress: number | undefined): Promise<boolean> {
    const row = await tx.first<{ cancelled: boolean }>(
      `update job set seen_at = $4, progress = coalesce($5, progress)
       where context_id = $1 and job_id = $2::uuid and runner = $3::uuid and state = 'running' returning cancelled`,
      job.jobId,
      job.runner,
      at,
      progress ?? null,
    );
    if (!row) throw new JobLeaseLost();
    return row.cancelled;
  }

  /** Releases the lease, so another process can take over at once. */
  async releaseLease(tx: Transaction, job: RunningJob): Promise<void> {
    await tx.run(
      `update job set seen_at = 0, runner = null
       where context_id = $1 and job_id = $2::uuid and runner = $3::uuid and state = 'running'`,
      job.jobId,
      job.runner,
    );
  }

  /** Records steps in the transaction of their effect: no step takes effect twice. @throws JobLost */
  async insertSteps(tx: Transaction, job: RunningJob, position: number, steps: readonly JobStep[]): Promise<void> {
    const count = (effect: JobStep['effect']) => steps.filter((step) => step.effect === effect).length;
    const noted = await tx.run(
      `update job set position = greatest(position, $4), created = created + $5, changed = changed + $6,
         unchanged = unchanged + $7, disabled = disabled + $8
       where context_id = $1 and job_id = $2::uuid and runner = $3::uuid and state = 'running'`,
      job.jobId,
      job.runner,
      position,
      count('created'),
      count('changed'),
      count('unchanged'),
      count('disabled'),
    );
    if (noted === 0) throw new JobLeaseLost();
    const errors = steps.flatMap(({ error }) => (error ? [error] : []));
    if (errors.length > 0)
      await tx.run(
        `insert into job_row_error (context_id, job_id, position, field, code, error)
         select $1, $2::uuid, "row", field, code, error
         from jsonb_to_recordset($3::jsonb) as e ("row" int, field text, code text, error text) on conflict do nothing`,
        job.jobId,
        JSON.stringify(errors),
      );
    const passwords = steps.flatMap(({ password }) => (password ? [password] : []));
    if (passwords.length > 0)
      await tx.run(
        `insert into job_password (context_id, job_id, position, user_id, kind, encrypted)
         select $1, $2::uuid, "row", "userId", kind, encrypted
         from jsonb_to_recordset($3::jsonb) as p ("row" int, "userId" int, kind text, encrypted text)`,
        job.jobId,
        JSON.stringify(passwords),
      );
  }

  /** Reads and deletes passwords a job generated, in row order: they are handed out once. */
  async takePasswords(tx: Transaction, jobId: string, limit: number): Promise<ImportedPasswords> {
    // Concurrent calls get different rows.
    const items = await tx.objects<ImportedPassword>(
      `with chosen as (
         select position from job_password where context_id = $1 and job_id = $2::uuid
         order by position limit $3 for update skip locked),
       taken as (
         delete from job_password p using chosen c
         where p.context_id = $1 and p.job_id = $2::uuid and p.position = c.position
         returning p.position, p.user_id, p.kind, p.encrypted)
       select t.position as "row", t.user_id as "userId", u.name, t.kind, t.encrypted
       from taken t join directory_user u on u.context_id = $1 and u.user_id = t.user_id order by t.position`,
      jobId,
      limit,
    );
    const left = await tx.text('select count(*) from job_password where context_id = $1 and job_id = $2::uuid', jobId);
    return { items, left: Number(left) };
  }

  /** Requests the cancellation of a job; ended jobs stay as they are. @throws PROV-0012 */
  async requestCancel(tx: Transaction, jobId: string): Promise<void> {
    const found = await tx.run(
      `update job set cancelled = true,
         state = case when state = 'running' and task is null then 'cancelled' else state end
       where context_id = $1 and job_id::text = $2`,
      jobId,
    );
    if (found === 0) throw ProvisioningErrors.jobNotFound(jobId);
  }

  /** Records the end of a job. */
  async updateEnd(
    tx: Transaction,
    jobId: string,
    outcome: { state: 'done' | 'failed' | 'cancelled'; result?: object; errors: readonly unknown[]; at: number },
  ): Promise<void> {
    await tx.run(
      `update job set state = $3, progress = 1, result = $4::jsonb, errors = $5::jsonb, finished_at = $6
       where context_id = $1 and job_id::text = $2 and state = 'running'`,
      jobId,
      outcome.state,
      outcome.result ? JSON.stringify(outcome.result) : null,
      JSON.stringify(outcome.errors),
      outcome.at,
    );
  }
}

function toJob(
  row: Row,
  now: number,
  failures?: { readonly errors: readonly ImportRowError[]; readonly failed: number },
): Job {
  const {
    result,
    finishedAt,
    seenAt,
    resumable,
    position: _position,
    created,
    changed,
    unchanged,
    disabled,
    ...always
  } = row;
  if (row.state === 'running' && !resumable && seenAt < now - INTERRUPTED_AFTER_MS)
    return { ...always, state: 'failed', errors: [{ error: 'The process ended before the job did. Repeat it.' }] };
  const counts = failures &&
    row.kind.startsWith('import-') && {
      rows: created + changed + unchanged + failures.failed,
      created,
      changed,
      unchanged,
      disabled,
      errors: failures.errors.map(({ field, ...error }) => (field === null ? error : { ...error, field })),
    };
  return {
    ...always,
    ...(counts ? { result: counts } : result ? { result } : {}),
    ...(finishedAt ? { finishedAt } : {}),
  };
}
