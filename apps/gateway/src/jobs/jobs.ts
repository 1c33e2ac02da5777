import { randomUUID } from 'node:crypto';
import { JobErrors, RequestErrors, type Operation, type UserPrincipal } from '@groupware/contracts';
import type { FoundJob, Job, JobOwner, JobTable } from '@groupware/sessions';
import type { EdgeLog, OutgoingCall, RawAnswer, ServiceCaller } from '../edge/ports';
import { asCatalogueError, type Exchange } from '../edge/exchange';
import { first, type Parameters } from '../input/url';
import { envelope, errorEnvelope } from '../output/envelope';
import { wholeBody } from '../output/whole-body';

/** When calls become jobs, and how long those may take. */
export interface JobSettings {
  /** A call that may become a job does so after so long, ms. */
  readonly afterMs: number;
  /** Longest time of a job, ms. */
  readonly deadlineMs: number;
  /** Pause between signs of life of a job, in which cancellations are seen, too, ms. */
  readonly renewMs: number;
  /** Largest answer that is kept, bytes. */
  readonly maxAnswerBytes: number;
}

/** A job that this process works on. */
interface RunningJob extends Job {
  readonly owner: JobOwner;
  readonly locale: string;
  cancel(): void;
}

/** The store of jobs. */
export type Jobs = Pick<
  JobTable,
  'addJob' | 'cancelJob' | 'findJob' | 'finishJob' | 'listJobs' | 'removeJob' | 'renewLease' | 'takeAnswer'
>;

const REPLIES: ReadonlySet<string> = new Set(['one', 'many', 'rows', 'value', 'none']);

/**
 * Calls that go on without their request, and the module `jobs` by which clients ask for them. A read never becomes one: it is asked
 * again. Every gateway answers for the jobs of all; the one that began a job works on it until it ends.
 */
export class JobRunner {
  private readonly running = new Set<RunningJob>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly jobs: Jobs,
    private readonly caller: ServiceCaller,
    private readonly settings: JobSettings,
    private readonly log: EdgeLog,
  ) {
    this.timer = setInterval(() => void this.renewAll(), settings.renewMs);
    this.timer.unref();
  }

  /** Whether the client lets a call become a job, and the call can. */
  mayEnqueue({ parameters }: Exchange, { kind, auth, http, reads, reply, edge }: Operation): boolean {
    return (
      first(parameters, 'allow_enqueue')?.toLowerCase() === 'true' &&
      kind === 'action' &&
      auth === 'session' &&
      http !== 'GET' &&
      reads !== true &&
      edge !== true &&
      REPLIES.has(reply.kind)
    );
  }

  /** Makes a call; after a while its place is taken by a job, unless the user has too many. */
  async request(exchange: Exchange, operation: Operation, outgoing: OutgoingCall): Promise<RawAnswer> {
    let end: () => void = () => undefined;
    const call = this.caller.request(operation, {
      ...outgoing,
      deadline: Date.now() + this.settings.deadlineMs,
      whenGone: (cancel) => (end = cancel),
    });
    let isJob = false;
    exchange.whenGone(() => {
      if (!isJob) end();
    });
    const early = await this.waitShortly(call);
    if (early) return early;
    const { contextId, userId } = exchange.principal as UserPrincipal;
    const job: RunningJob = {
      // The time first: jobs are listed in the order of their beginnings.
      id: `${Date.now().toString(36)}-${randomUUID()}`,
      module: operation.module,
      action: operation.action ?? '',
      owner: { contextId, userId },
      locale: exchange.locale,
      cancel: () => end(),
    };
    // Without a place for it, as when the store is away, the call is waited for.
    const isAdded = !exchange.isGone && (await this.jobs.addJob(job.owner, toJob(job)).catch(() => false));
    if (!isAdded) return call;
    isJob = true;
    this.running.add(job);
    void this.finish(job, call);
    return toJobAnswer(job.id);
  }

  /** Answers the operations of the module `jobs`. */
  async answer(owner: JobOwner, operation: Operation, parameters: Parameters): Promise<RawAnswer> {
    if (operation.name === 'all') return toAnswer((await this.jobs.listJobs(owner)).map(toInfo));
    const id = first(parameters, 'id');
    if (!id) throw RequestErrors.missingParameter('id');
    const job = await this.jobs.findJob(owner, id);
    if (!job) throw JobErrors.notFound(id);
    switch (operation.name) {
      case 'info':
        return toAnswer(toInfo(job));
      case 'cancel':
        if (job.state === 'running') await this.jobs.cancelJob(owner, id);
        return toAnswer({ success: job.state === 'running' });
      default:
        return this.takeAnswer(owner, job);
    }
  }

  /** Tells of the jobs that this process cannot bring to their ends. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(
      [...this.running].map((job) =>
        this.keep(job, errorEnvelope(asCatalogueError(JobErrors.interrupted(job.id)), job.locale)),
      ),
    );
    this.running.clear();
  }

  private async waitShortly(call: Promise<RawAnswer>): Promise<RawAnswer | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, this.settings.afterMs, undefined)));
    try {
      return await Promise.race([call, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async takeAnswer(owner: JobOwner, job: FoundJob): Promise<RawAnswer> {
    if (job.state === 'running') return toJobAnswer(job.id);
    const answer = job.state === 'done' ? await this.jobs.takeAnswer(owner, job.id) : undefined;
    if (answer !== undefined) return { body: Buffer.from(answer) };
    await this.jobs.removeJob(owner, job.id);
    throw job.state === 'lost' ? JobErrors.interrupted(job.id) : JobErrors.notFound(job.id);
  }

  private async finish(job: RunningJob, call: Promise<RawAnswer>): Promise<void> {
    let bytes: Buffer;
    try {
      const answer = await call;
      bytes = envelope(await wholeBody(answer.body), { ...answer, locale: job.locale });
      if (bytes.length > this.settings.maxAnswerBytes)
        bytes = errorEnvelope(asCatalogueError(JobErrors.tooLarge(job.id, this.settings.maxAnswerBytes)), job.locale);
    } catch (error) {
      const failure = asCatalogueError(error);
      this.log.warn({ job: job.id, error_id: failure.errorId, code: failure.code }, 'a job failed');
      bytes = errorEnvelope(failure, job.locale);
    }
    if (this.running.delete(job)) await this.keep(job, bytes);
  }

  private async keep(job: RunningJob, answer: Buffer): Promise<void> {
    try {
      await this.jobs.finishJob(job.owner, toJob(job), answer.toString('utf8'));
    } catch (error) {
      // Its lease ends, and the client hears that nothing is known.
      this.log.error({ job: job.id, err: error }, 'the answer of a job is lost');
    }
  }

  private async renewAll(): Promise<void> {
    await Promise.all(
      [...this.running].map(async (job) => {
        try {
          const { isCancelled } = await this.jobs.renewLease(job.owner, toJob(job));
          if (isCancelled) job.cancel();
        } catch (error) {
          this.log.warn({ job: job.id, err: error }, 'a job gave no sign of life');
        }
      }),
    );
  }
}

const toJob = ({ id, module, action }: Job): Job => ({ id, module, action });
const toInfo = ({ id, module, action, state }: FoundJob) => ({ id, module, action, done: state !== 'running' });
const toAnswer = (data: unknown): RawAnswer => ({ body: Buffer.from(JSON.stringify(data)) });
/** HTTP 202, with the envelope that clients look into. */
const toJobAnswer = (job: string): RawAnswer => ({ status: 202, body: Buffer.from(JSON.stringify({ data: { job } })) });
