import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CatalogueError, isCatalogueError, RequestErrors } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';
import { IdentityConfig } from '../configuration/identity.config';
import { JobLeaseLost, JobRepository, type RunningJob } from '../persistence/job.repository';

/** Control of a job, for its work between steps. */
export interface JobControl {
  readonly job: RunningJob;
  /** Throws when the job was cancelled or taken over, or the process stops. */
  check(): void;
  /** Sets the progress, 0 to 1; stored with the next heartbeat. */
  progress(share: number): void;
}

/** The work of a kind of job; resumes after the completed steps and answers the result. */
export type JobWork = (control: JobControl) => Promise<object | undefined>;

/** Thrown in the work of a cancelled job. */
class JobCancelled extends Error {}
/** Thrown in the work of a job when the process stops; another process takes over. */
export class JobStopping extends Error {}

const log = Logger.for('identity.jobs');

/**
 * Runs jobs that outlive their process: each renews a lease, and any process takes over a job whose lease expired. A
 * step names its runner in the transaction of its effect, so two runners never perform the same step.
 */
@Injectable()
export class JobRunner {
  private readonly works = new Map<string, JobWork>();
  private readonly running = new Set<Promise<void>>();
  private readonly takeovers = new Periodic(
    () => this.takeOverJobs(),
    (error) => log.warn({ error: String(error) }, 'looking for jobs failed'),
  );
  private stopping = false;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly jobs: JobRepository,
    private readonly clock: Clock,
    private readonly config: IdentityConfig,
  ) {}

  /** Registers the work of a kind of job. */
  registerKind(kind: string, work: JobWork): void {
    this.works.set(kind, work);
  }

  /** Starts polling for jobs with expired leases. */
  start(): void {
    this.takeovers.start(Math.max(100, this.config.jobTakeoverMs / 3));
    this.takeovers.requestRound();
  }

  /** Stops jobs after their current step; other processes take over. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.takeovers.stop();
    await Promise.allSettled(this.running);
  }

  /** Creates a job in the caller's transaction; run it with {@link runJob} after the commit. */
  async createJob(tx: Transaction, kind: string, task: object): Promise<RunningJob> {
    const runner = randomUUID();
    const jobId = await this.jobs.insert(tx, kind, this.clock.now(), { task, runner });
    return { contextId: tx.contextId, jobId, runner, kind, task, position: 0 };
  }

  /** Runs a job to its end; never rejects. */
  runJob(job: RunningJob): Promise<void> {
    const end = this.executeJob(job).catch((error: unknown) =>
      log.error({ error, jobId: job.jobId }, 'the end of a job could not be noted'),
    );
    this.running.add(end);
    void end.finally(() => this.running.delete(end));
    return end;
  }

  /** Takes over jobs whose process died. */
  async takeOverJobs(): Promise<number> {
    for (let taken = 0; ; taken++) {
      if (this.stopping) return taken;
      const now = this.clock.now();
      const at = { now, before: now - this.config.jobTakeoverMs };
      const job = await this.database.acrossContexts('jobs of all contexts wait in one queue', (db) =>
        this.jobs.takeOverStale(db, randomUUID(), [...this.works.keys()], at),
      );
      if (!job) return taken;
      log.info({ jobId: job.jobId, kind: job.kind }, 'goes on with a job');
      void this.runJob(job);
    }
  }

  private async executeJob(job: RunningJob): Promise<void> {
    let stop: Error | undefined;
    let share: number | undefined;
    const alive = async () => {
      try {
        const cancelled = await this.database.transact(job, (tx) =>
          this.jobs.renewLease(tx, job, this.clock.now(), share),
        );
        if (cancelled) stop ??= new JobCancelled();
      } catch (error) {
        // A database outage surfaces at the next step, if it lasts that long.
        if (error instanceof JobLeaseLost) stop ??= error;
      }
    };
    let beat: Promise<void> = Promise.resolve();
    const heart = setInterval(() => (beat = alive()), Math.min(1_000, this.config.jobTakeoverMs / 4));
    heart.unref();
    try {
      const result = await this.works.get(job.kind)!({
        job,
        check: () => {
          if (this.stopping) throw new JobStopping();
          if (stop) throw stop;
        },
        progress: (done) => (share = done),
      });
      await this.endJob(job, { state: 'done', result, errors: [] });
    } catch (error) {
      if (error instanceof JobLeaseLost) return;
      if (error instanceof JobStopping) await this.database.transact(job, (tx) => this.jobs.releaseLease(tx, job));
      else if (error instanceof JobCancelled) await this.endJob(job, { state: 'cancelled', errors: [] });
      else if (isCatalogueError(error, RequestErrors.serviceUnavailable)) {
        // The lease expires: any process takes over once the failed dependency is back.
        log.warn({ jobId: job.jobId, error: error.message }, 'a job is interrupted');
      } else {
        log.error({ error, jobId: job.jobId }, 'a job failed');
        const known =
          error instanceof CatalogueError ? { code: error.code, error: error.message } : { error: 'see the log' };
        await this.endJob(job, { state: 'failed', errors: [known] });
      }
    } finally {
      clearInterval(heart);
      await beat;
    }
  }

  private endJob(
    job: RunningJob,
    outcome: { state: 'done' | 'failed' | 'cancelled'; result?: object; errors: readonly unknown[] },
  ): Promise<void> {
    return this.database.transact(job, (tx) =>
      this.jobs.updateEnd(tx, job.jobId, { ...outcome, at: this.clock.now() }),
    );
  }
}
