import { Injectable } from '@nestjs/common';
import { Clock } from './clock';

/** Timers take no more than 2^31 ms; ringing early costs one look-up. */
const LONGEST_MS = 3_600_000;

/** Timer of the next look for due alarms. Writers schedule earlier ones. */
@Injectable()
export class AlarmClock {
  private timer: NodeJS.Timeout | undefined;
  private at = Infinity;
  private ring: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  /** From now on `ring` is called when a time that was set has come. */
  start(ring: () => void): void {
    this.ring = ring;
  }

  /** Never rings again. */
  stop(): void {
    this.ring = undefined;
    clearTimeout(this.timer);
  }

  /** Rings at this moment (ms UTC) at the latest; an earlier one that was set stays. */
  scheduleBy(at: number): void {
    if (!this.ring || at >= this.at) return;
    clearTimeout(this.timer);
    this.at = at;
    const delay = Math.min(LONGEST_MS, Math.max(0, at - this.clock.now()));
    this.timer = setTimeout(() => {
      this.at = Infinity;
      this.ring?.();
    }, delay).unref();
  }
}
