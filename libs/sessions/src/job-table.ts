import { SessionErrors } from '@groupware/contracts';
import type { Redis } from 'ioredis';
import type { SealedText } from './sealed-text';

/** Owner of a job. */
export interface JobOwner {
  readonly contextId: number;
  readonly userId: number;
}

/** A call that goes on without its request. */
export interface Job {
  readonly id: string;
  readonly module: string;
  readonly action: string;
}

/** Job as any session of its owner finds it. `lost`: the process that worked on it is gone. */
export interface FoundJob extends Job {
  readonly state: 'running' | 'done' | 'lost';
}

interface StoredJob extends Job {
  /** The end of the job's life in the table, or of its worker's lease while it runs, ms UTC. */
  readonly until: number;
  readonly isDone: boolean;
}

/** How long jobs and answers are kept. */
export interface JobTableOptions {
  /** A job whose worker was not heard for so long is lost, ms. */
  readonly leaseMs: number;
  /** Answers are kept for so long, ms. */
  readonly keptMs: number;
  /** Most jobs of one user. */
  readonly maxPerUser: number;
}

/** Adds a job unless its owner has the most already; jobs whose time is over count no more. */
const ADD = `
  local jobs = redis.call('HGETALL', KEYS[1])
  local count = 0
  for at = 1, #jobs, 2 do
    if cjson.decode(jobs[at + 1])['until'] + tonumber(ARGV[4]) <= tonumber(ARGV[3]) then
      redis.call('HDEL', KEYS[1], jobs[at])
    else count = count + 1 end
  end
  if count >= tonumber(ARGV[5]) then return 0 end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return 1`;

/** Changes a job that is still there, and keeps the table alive. */
const PUT = `
  if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return 1`;

/** Jobs of users and their answers, for all gateways. Everything in it ends by itself. */
export class JobTable {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly sealed: SealedText,
    private readonly options: JobTableOptions,
    private readonly now: () => number,
  ) {}

  /** Adds a running job; false when the owner has the most already. @throws SES-0208 */
  async addJob(owner: JobOwner, job: Job): Promise<boolean> {
    const { leaseMs, keptMs, maxPerUser } = this.options;
    const text = JSON.stringify({ ...job, until: this.now() + leaseMs, isDone: false } satisfies StoredJob);
    return (
      (await this.guard(
        this.redis.eval(ADD, 1, this.keyOf(owner), job.id, text, this.now(), keptMs + leaseMs, maxPerUser),
      )) === 1
    );
  }

  /** Says that a job is still worked on. Answers whether it was cancelled. @throws SES-0208 */
  async renewLease(owner: JobOwner, job: Job): Promise<{ isCancelled: boolean }> {
    await this.put(owner, { ...job, until: this.now() + this.options.leaseMs, isDone: false });
    return { isCancelled: (await this.guard(this.redis.exists(this.cancelKeyOf(owner, job.id)))) === 1 };
  }

  /** Keeps the answer of a job. @throws SES-0208 */
  async finishJob(owner: JobOwner, job: Job, answer: string): Promise<void> {
    const { keptMs } = this.options;
    const key = this.answerKeyOf(owner, job.id);
    await this.guard(this.redis.set(key, this.sealed.seal(answer, key), 'PX', keptMs));
    await this.put(owner, { ...job, until: this.now() + keptMs, isDone: true });
  }

  /** All jobs of a user. @throws SES-0208 */
  async listJobs(owner: JobOwner): Promise<FoundJob[]> {
    const texts = await this.guard(this.redis.hvals(this.keyOf(owner)));
    return texts.flatMap((text) => this.toFound(text) ?? []).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** One job, or undefined. @throws SES-0208 */
  async findJob(owner: JobOwner, id: string): Promise<FoundJob | undefined> {
    const text = await this.guard(this.redis.hget(this.keyOf(owner), id));
    return text === null ? undefined : this.toFound(text);
  }

  /** Takes the answer of a job that is done, and forgets it; undefined when another caller did. @throws SES-0208 */
  async takeAnswer(owner: JobOwner, id: string): Promise<string | undefined> {
    const key = this.answerKeyOf(owner, id);
    const sealed = await this.guard(this.redis.getdel(key));
    await this.removeJob(owner, id);
    return sealed === null ? undefined : this.sealed.open(sealed, key);
  }

  /** Forgets a job. @throws SES-0208 */
  async removeJob(owner: JobOwner, id: string): Promise<void> {
    await this.guard(this.redis.hdel(this.keyOf(owner), id));
  }

  /** Asks the process of the job to end it. @throws SES-0208 */
  async cancelJob(owner: JobOwner, id: string): Promise<void> {
    await this.guard(this.redis.set(this.cancelKeyOf(owner, id), '1', 'PX', this.options.keptMs));
  }

  private async put(owner: JobOwner, job: StoredJob): Promise<void> {
    const { keptMs, leaseMs } = this.options;
    await this.guard(this.redis.eval(PUT, 1, this.keyOf(owner), job.id, JSON.stringify(job), keptMs + leaseMs));
  }

  private toFound(text: string): FoundJob | undefined {
    const { id, module, action, until, isDone } = JSON.parse(text) as StoredJob;
    const isOver = until <= this.now();
    if (isDone) return isOver ? undefined : { id, module, action, state: 'done' };
    return { id, module, action, state: isOver ? 'lost' : 'running' };
  }

  private keyOf({ contextId, userId }: JobOwner): string {
    return `${this.prefix}:jobs:${contextId}:${userId}`;
  }

  private answerKeyOf(owner: JobOwner, id: string): string {
    return `${this.keyOf(owner)}:${id}:answer`;
  }

  private cancelKeyOf(owner: JobOwner, id: string): string {
    return `${this.keyOf(owner)}:${id}:cancelled`;
  }

  private async guard<R>(command: Promise<R>): Promise<R> {
    try {
      return await command;
    } catch (cause) {
      throw SessionErrors.storeDown().with({ cause });
    }
  }
}
