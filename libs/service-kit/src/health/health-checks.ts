import { Injectable } from '@nestjs/common';

/** A dependency that must answer. */
export type HealthCheck = () => Promise<unknown>;

/** Outcome of one check. */
export interface CheckResult {
  readonly name: string;
  readonly status: 'UP' | 'DOWN';
  readonly data?: { readonly error: string };
}

/** A check that takes longer counts as down, ms. */
export const CHECK_TIMEOUT_MS = 5000;
/** Results are kept so long, ms. */
export const CHECK_LIFE_MS = 10_000;

/** The checks of a process. */
@Injectable()
export class HealthChecks {
  private readonly checks = new Map<string, HealthCheck>();
  private latest: { at: number; results: Promise<CheckResult[]> } | undefined;
  /** False from the beginning of shutdown and before the start is complete. */
  ready = false;
  /** True while operators say that the site of this process is away: it works, but takes no new clients. */
  isAway = false;

  add(name: string, check: HealthCheck): void {
    this.checks.set(name, check);
  }

  /** Names of all checks, sorted. */
  get names(): string[] {
    return [...this.checks.keys()].sort();
  }

  /** Runs all checks but the skipped ones, at the same time; answers of the last seconds are used again. */
  run(skip: readonly string[] = [], now = Date.now()): Promise<CheckResult[]> {
    if (!this.latest || now - this.latest.at >= CHECK_LIFE_MS) {
      const names = this.names.filter((name) => !skip.includes(name));
      this.latest = { at: now, results: Promise.all(names.map((name) => this.probe(name))) };
    }
    return this.latest.results;
  }

  /** Forgets earlier answers. */
  forget(): void {
    this.latest = undefined;
  }

  private async probe(name: string): Promise<CheckResult> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS);
      });
      await Promise.race([this.checks.get(name)!(), late]);
      return { name, status: 'UP' };
    } catch (error) {
      return { name, status: 'DOWN', data: { error: error instanceof Error ? error.message : String(error) } };
    } finally {
      clearTimeout(timer);
    }
  }
}
