import v8 from 'node:v8';
import type { PoolLoad } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import { Logger } from '../log/logger';

const log = Logger.for('process');

/** Tells why the process is in a state that it may not leave by itself, or undefined. */
export type LivenessCheck = () => string | undefined;

interface State {
  readonly check: LivenessCheck;
  /** Looks in a row that must find it before the process is given up. */
  readonly looks: number;
  found: number;
}

/** Pause between two looks, ms. */
const LOOK_EVERY_MS = 5_000;

/**
 * The states in which only a new process helps. Time is counted in looks of this process, so that a pause of it proves nothing.
 * States that depend on others only, such as a server that is away, are none of them: a restart would not help.
 */
@Injectable()
export class Liveness {
  private readonly states = new Map<string, State>();
  private readonly timer: NodeJS.Timeout;

  constructor(everyMs = LOOK_EVERY_MS) {
    this.timer = setInterval(() => this.reviewStates(), everyMs).unref();
  }

  /** Adds a state; `looks` says how many in a row must find it. */
  addState(name: string, check: LivenessCheck, looks = 1): void {
    this.states.set(name, { check, looks, found: 0 });
  }

  /** Names of the states that the process does not leave. */
  get problems(): string[] {
    return [...this.states].filter(([, { found, looks }]) => found >= looks).map(([name]) => name);
  }

  /** Ends the looks. */
  stop(): void {
    clearInterval(this.timer);
  }

  private reviewStates(): void {
    for (const [name, state] of this.states) {
      const reason = state.check();
      state.found = reason === undefined ? 0 : state.found + 1;
      if (state.found === state.looks) log.error({ state: name, reason }, 'the process does not recover by itself');
    }
  }
}

/** Finds a heap that stays full: the process spends its time on collecting garbage, or is about to be ended by it. */
export const fullHeap =
  (maxShare: number, statistics: () => v8.HeapInfo = () => v8.getHeapStatistics()): LivenessCheck =>
  () => {
    const { used_heap_size: used, heap_size_limit: limit } = statistics();
    return used > limit * maxShare ? `${Math.round((100 * used) / limit)} % of the heap are in use` : undefined;
  };

type Acquisitions = Pick<PoolLoad, 'waiting' | 'acquired'>;

/** Finds pools with waiting callers that handed out no connection since the last look. */
export function stuckPools(loads: () => Readonly<Record<string, Acquisitions>>): LivenessCheck {
  let before: Readonly<Record<string, Acquisitions>> = {};
  return () => {
    const now = loads();
    const stuck = Object.keys(now).filter((name) => {
      const former = before[name];
      return former && former.waiting > 0 && now[name]!.waiting > 0 && now[name]!.acquired === former.acquired;
    });
    before = now;
    return stuck.length > 0 ? `nobody gets a connection to ${stuck.join(', ')}` : undefined;
  };
}
