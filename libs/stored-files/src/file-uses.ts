import type { ErrorFactory } from '@groupware/contracts';
import type { Logger } from '@groupware/service-kit';

/** Uses of stored files by a module. Provide one instance of a subclass in the service of the module. */
export abstract class FileUses {
  /** Name of the service: space is set aside in its name. */
  abstract readonly service: string;
  /** Table of the module whose column `reference` names the files it keeps. */
  abstract readonly table: string;
  /** The error for a file that could not be saved. */
  abstract readonly notSaved: ErrorFactory;
  abstract readonly log: Logger;

  /** Deletes further rows of the module that end by themselves; called with each sweep. */
  async deleteExpired(_now: number): Promise<void> {}
}

/** Times of the sweep, ms. */
export abstract class SweepSettings {
  /** Between two sweeps; 0: none. */
  abstract sweepIntervalMs: number;
  /** Age from which files go that nothing uses. */
  abstract sweepAgeMs: number;
  /** Age from which unclaimed uploads go. */
  abstract incomingAgeMs: number;
}
