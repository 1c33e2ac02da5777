import type { ItemErrorReason } from './imported-item';

/** Thrown inside the reader only: why a component gives no event. */
export class ItemFailure extends Error {
  constructor(
    readonly reason: ItemErrorReason,
    message: string,
    readonly line?: number,
  ) {
    super(message);
    this.name = 'ItemFailure';
  }
}
