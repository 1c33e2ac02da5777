import { Injectable } from '@nestjs/common';

/** The time as a dependency, so that tests can set it. */
@Injectable()
export class Clock {
  /** Now, ms UTC. */
  now(): number {
    return Date.now();
  }
}
