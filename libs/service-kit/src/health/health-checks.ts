import { within } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import { recordCheck } from '../process-metrics';

/** Asks a dependency; rejects when it is down. */
export type HealthCheck = () => Promise<unknown>;

/** Options of a check. */
export interface CheckOptions {
  /** The process can do nothing without it: a failure takes the process out of service. Default: the failure is shown only. */
  readonly isRequired?: boolean;
  /** Pause between two runs, ms; default: that of all checks. For checks that cost something. */
  readonly intervalMs?: number;
}

/** A check as a module declares it. */
export type DeclaredCheck = HealthCheck | (CheckOptions & { readonly check: HealthCheck });

/** A dependency that partly works: shown as down, but no reason to take the process out of service. */
export class PartlyDown extends Error {}

/** Outcome of one check. */
export interface CheckResult {
  readonly name: string;
  readonly status: 'UP' | 'DOWN';
  readonly data?: { readonly error: string };
}

interface State {
  readonly check: HealthCheck;
  readonly options: CheckOptions;
  /** Undefined before the first run ended. */
  result?: CheckResult & { readonly isPartial: boolean };
  timer?: NodeJS.Timeout;
  /** The run under way. */
  running?: Promise<void>;
}

/** Times of all checks, ms. */
export interface CheckTimes {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/**
 * The checks of a process. Each runs by itself, again and again, with a time-out of its own: a probe shows what is known, so
 * many probes cost no more than one, and a slow check delays no other.
 */
@Injectable()
export class HealthChecks {
  private readonly checks = new Map<string, State>();
  private isStopped = false;
  /** False from the beginning of shutdown and before the start is complete. */
  ready = false;
  /** True while operators say that the site of this process is away: it works, but takes no new clients. */
  isAway = false;

  constructor(
    private readonly times: CheckTimes,
    /** Checks that are not run at the moment. */
    private readonly skipped: () => readonly string[] = () => [],
  ) {}

  /** Adds a check and, unless it is skipped, runs it for the first time. */
  addCheck(name: string, declared: DeclaredCheck): void {
    const { check, ...options } = typeof declared === 'function' ? { check: declared } : declared;
    const former = this.checks.get(name);
    clearTimeout(former?.timer);
    // Several modules may depend on the same: it is required when one of them says so.
    const isRequired = options.isRequired || former?.options.isRequired;
    const state: State = { check, options: { ...options, isRequired } };
    this.checks.set(name, state);
    if (this.skipped().includes(name)) this.schedule(name, state);
    else this.startCheck(name, state);
  }

  /** Names of all checks, sorted. */
  get names(): string[] {
    return [...this.checks.keys()].sort();
  }

  /** The last results of all checks but the skipped ones; waits for those that never ended so far. */
  async listResults(skip: readonly string[] = []): Promise<CheckResult[]> {
    const names = this.names.filter((name) => !skip.includes(name));
    await Promise.all(names.map((name) => this.firstRun(name)));
    return names.flatMap((name) => {
      const result = this.checks.get(name)?.result;
      return result ? [{ name, status: result.status, ...(result.data ? { data: result.data } : {}) }] : [];
    });
  }

  /** The last results of the checks that the process can do nothing without. */
  async listRequired(skip: readonly string[] = []): Promise<CheckResult[]> {
    const results = await this.listResults([...skip, ...this.names.filter((name) => !this.isRequired(name))]);
    return results.map((result) =>
      this.checks.get(result.name)?.result?.isPartial ? { ...result, status: 'UP' } : result,
    );
  }

  /** Ends all checks. */
  stop(): void {
    this.isStopped = true;
    for (const { timer } of this.checks.values()) clearTimeout(timer);
  }

  private isRequired(name: string): boolean {
    return this.checks.get(name)?.options.isRequired ?? false;
  }

  private async firstRun(name: string): Promise<void> {
    const state = this.checks.get(name);
    if (!state || state.result) return;
    if (!state.running) {
      clearTimeout(state.timer);
      this.startCheck(name, state);
    }
    await state.running;
  }

  private startCheck(name: string, state: State): void {
    state.running = this.runCheck(name, state).then(() => {
      state.running = undefined;
      if (!this.isStopped) this.schedule(name, state);
    });
  }

  private schedule(name: string, state: State): void {
    state.timer = setTimeout(() => {
      if (this.checks.get(name) !== state) return;
      if (this.skipped().includes(name)) {
        // Results from before the check was skipped are stale.
        state.result = undefined;
        this.schedule(name, state);
      } else this.startCheck(name, state);
    }, state.options.intervalMs ?? this.times.intervalMs).unref();
  }

  private async runCheck(name: string, state: State): Promise<void> {
    try {
      await within(state.check(), this.times.timeoutMs);
      state.result = { name, status: 'UP', isPartial: false };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      state.result = { name, status: 'DOWN', data: { error: text }, isPartial: error instanceof PartlyDown };
    } finally {
      recordCheck(name, state.result?.status === 'UP');
    }
  }
}
