import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CatalogueError, RequestErrors } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';
import { IdentityConfig } from '../identity.config';
import { JobLost, JobRepository, type TakenJob } from '../persistence/job.repository';

/** The work of a job asks this between its steps. */
export interface JobControl {
  readonly job: TakenJob;
  /** Ends the work when somebody cancelled the job, took it over, or the process ends. */
  check(): void;
  /** Notes how far the work is, 0 to 1; shown with the next sign of life. */
  progress(share: number): void;
}

/** The work of one kind of job; begins after the steps that are done. Answers the result. */
export type JobWork = (control: JobControl) => Promise<object | undefined>;

/** Ends the work of a job that somebody cancelled. */
class Cancelled extends Error {}
/** Ends the work of a job because the process ends; another one goes on with it. */
export class JobStopping extends Error {}

const log = Logger.for('identity.jobs');

/**
 * Runs jobs that outlive their process: each gives signs of life, and whoever finds one without them goes on with it. A step
 * names its runner in the transaction of its effect, so two runners never do the same step.
 */
@Injectable()
export class JobRunner {
  private readonly works = new Map<string, JobWork>();
  private readonly running = new Set<Promise<void>>();
  private readonly rounds = new Periodic(
    () => this.takeOver(),
    (error) => log.warn({ error: String(error) }, 'looking for jobs failed'),
  );
  private stopping = false;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly jobs: JobRepository,
    private readonly clock: Clock,
    private readonly config: IdentityConfig,
  ) {}

  /** Says how jobs of a kind are done. */
  define(kind: string, work: JobWork): void {
    this.works.set(kind, work);
  }

  /** Begins to look for jobs that lost their process. */
  start(): void {
    this.rounds.start(Math.max(100, this.config.jobTakeoverMs / 3));
    this.rounds.round();
  }

  /** Stops jobs after their step; other processes go on with them. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.rounds.stop();
    await Promise.allSettled(this.running);
  }

  /** Notes a new job, in the transaction that asks for it; run it with {@link run} after the commit. */
  async begin(tx: Transaction, kind: string, task: object): Promise<TakenJob> {
    const runner = randomUUID();
    const jobId = await this.jobs.begin(tx, kind, this.clock.now(), { task, runner });
    return { contextId: tx.contextId, jobId, runner, kind, task, position: 0 };
  }

  /** Runs a job to its end; never rejects. */
  run(job: TakenJob): Promise<void> {
    const end = this.work(job).catch((error: unknown) =>
      log.error({ error, jobId: job.jobId }, 'the end of a job could not be noted'),
    );
    this.running.add(end);
    void end.finally(() => this.running.delete(end));
    return end;
  }

  /** Goes on with jobs whose process ended. */
  async takeOver(): Promise<number> {
    for (let taken = 0; ; taken++) {
      if (this.stopping) return taken;
      const now = this.clock.now();
      const at = { now, before: now - this.config.jobTakeoverMs };
      const job = await this.database.acrossContexts((db) =>
        this.jobs.takeOver(db, randomUUID(), [...this.works.keys()], at),
      );
      if (!job) return taken;
      log.info({ jobId: job.jobId, kind: job.kind }, 'goes on with a job');
      void this.run(job);
    }
  }

  private async work(job: TakenJob): Promise<void> {
    let stop: Error | undefined;
    let share: number | undefined;
    const alive = async () => {
      try {
        const cancelled = await this.database.transact(job, (tx) => this.jobs.alive(tx, job, this.clock.now(), share));
        if (cancelled) stop ??= new Cancelled();
      } catch (error) {
        // An outage of the database ends at the next step, if it lasts so long.
        if (error instanceof JobLost) stop ??= error;
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
      await this.end(job, { state: 'done', result, errors: [] });
    } catch (error) {
      if (error instanceof JobLost) return;
      if (error instanceof JobStopping) await this.database.transact(job, (tx) => this.jobs.release(tx, job));
      else if (error instanceof Cancelled) await this.end(job, { state: 'cancelled', errors: [] });
      else if (error instanceof CatalogueError && error.is(RequestErrors.serviceUnavailable)) {
        // Left running without sign of life: somebody goes on when what is down is back.
        log.warn({ jobId: job.jobId, error: error.message }, 'a job is interrupted');
      } else {
        log.error({ error, jobId: job.jobId }, 'a job failed');
        const known =
          error instanceof CatalogueError ? { code: error.code, error: error.message } : { error: 'see the log' };
        await this.end(job, { state: 'failed', errors: [known] });
      }
    } finally {
      clearInterval(heart);
      await beat;
    }
  }

  private end(
    job: TakenJob,
    outcome: { state: 'done' | 'failed' | 'cancelled'; result?: object; errors: readonly unknown[] },
  ): Promise<void> {
    return this.database.transact(job, (tx) => this.jobs.end(tx, job.jobId, { ...outcome, at: this.clock.now() }));
  }
}
