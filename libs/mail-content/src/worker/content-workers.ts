import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ContentResult, ContentTask } from './content-task';

/** Bounds of the threads that read foreign content. */
export interface ContentLimits {
  /** Threads at most; each is started when it is needed. */
  threads: number;
  /** A task that takes longer ends with its thread, ms. */
  timeoutMs: number;
  /** Heap of a thread, MB; a task that needs more ends with its thread. */
  maxHeapMb: number;
  /** Tasks that wait at most; further ones are refused at once. */
  maxQueued: number;
  /** Bytes of one task at most. */
  maxBytes: number;
}

/** Bounds for a laptop. */
export const DEFAULT_CONTENT_LIMITS: ContentLimits = {
  threads: 2,
  timeoutMs: 5_000,
  maxHeapMb: 192,
  maxQueued: 500,
  maxBytes: 12 * 1024 * 1024,
};

/** Why content could not be shown. */
export type ContentFailure = 'timeout' | 'memory' | 'size' | 'busy' | 'closed' | 'failed';

/** Content that could not be made showable within its bounds. */
export class ContentError extends Error {
  constructor(
    readonly reason: ContentFailure,
    detail = '',
  ) {
    super(`content could not be shown: ${reason}${detail && ` (${detail})`}`);
    this.name = 'ContentError';
  }
}

interface Job {
  task: ContentTask;
  resolve: (result: ContentResult) => void;
  reject: (error: ContentError) => void;
}

interface Thread {
  worker: Worker;
  job?: Job;
  timer?: NodeJS.Timeout;
}

type Answer = { result: ContentResult } | { failure: string };

/** Threads that decode, sanitise and convert the text of mails: no mail holds the event loop, none takes more than its bounds. */
export class ContentWorkers {
  private readonly limits: ContentLimits;
  private readonly threads = new Set<Thread>();
  private readonly queue: Job[] = [];
  private isClosed = false;

  constructor(limits: Partial<ContentLimits> = {}) {
    this.limits = { ...DEFAULT_CONTENT_LIMITS, ...limits };
  }

  /** Does a task in a thread. @throws {ContentError} when it exceeds a bound */
  runTask(task: ContentTask): Promise<ContentResult> {
    if (this.isClosed) return Promise.reject(new ContentError('closed'));
    if (sizeOf(task) > this.limits.maxBytes) return Promise.reject(new ContentError('size'));
    if (this.queue.length >= this.limits.maxQueued) return Promise.reject(new ContentError('busy'));
    return new Promise((resolve, reject) => {
      this.queue.push({ task, resolve, reject });
      this.startNext();
    });
  }

  /** Ends all threads; tasks under way end with an error. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const job of this.queue.splice(0)) job.reject(new ContentError('closed'));
    await Promise.all([...this.threads].map((thread) => this.endThread(thread, new ContentError('closed'))));
  }

  private startNext(): void {
    if (this.queue.length === 0) return;
    let thread = [...this.threads].find((candidate) => !candidate.job);
    if (!thread && this.threads.size < this.limits.threads) thread = this.startThread();
    if (!thread) return;
    const job = this.queue.shift()!;
    const busy = thread;
    busy.job = job;
    busy.timer = setTimeout(() => void this.endThread(busy, new ContentError('timeout')), this.limits.timeoutMs);
    busy.worker.ref();
    busy.worker.postMessage(job.task);
  }

  private startThread(): Thread {
    const { maxHeapMb } = this.limits;
    const worker = new Worker(findProgram(), {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    });
    const thread: Thread = { worker };
    this.threads.add(thread);
    worker.unref();
    worker.on('message', (answer: Answer) => this.finish(thread, answer));
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'failed';
      void this.endThread(thread, new ContentError(reason, error.message));
    });
    worker.on('exit', () => void this.endThread(thread, new ContentError('failed', 'the thread ended')));
    return thread;
  }

  private finish(thread: Thread, answer: Answer): void {
    const job = this.release(thread);
    if ('result' in answer) job?.resolve(answer.result);
    else job?.reject(new ContentError('failed', answer.failure));
    this.startNext();
  }

  private release(thread: Thread): Job | undefined {
    const { job } = thread;
    clearTimeout(thread.timer);
    delete thread.timer;
    delete thread.job;
    thread.worker.unref();
    return job;
  }

  private async endThread(thread: Thread, error: ContentError): Promise<void> {
    if (!this.threads.delete(thread)) return;
    this.release(thread)?.reject(error);
    if (!this.isClosed) this.startNext();
    await thread.worker.terminate();
  }
}

function sizeOf(task: ContentTask): number {
  const texts = 'texts' in task ? task.texts : [task.text];
  return texts.reduce((bytes, text) => bytes + text.bytes.byteLength, 0);
}

/** The compiled program; where only sources are, as in tests, the one that compiles them. */
function findProgram(): string {
  const compiled = join(__dirname, 'content.worker.js');
  return existsSync(compiled) ? compiled : join(__dirname, 'testing', 'source-worker.cjs');
}
