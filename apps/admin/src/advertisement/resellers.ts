import { Injectable } from '@nestjs/common';
import { directory } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';

/** Reseller of contexts without reseller. */
export const DEFAULT_RESELLER = 'default';

/** Checks the existence of resellers with the identity service. */
@Injectable()
export class Resellers {
  constructor(private readonly caller: Caller) {}

  /** True for a reseller that is known. */
  async resellerExists(name: string): Promise<boolean> {
    if (name === DEFAULT_RESELLER) return true;
    return this.caller.call(directory.knowsReseller, {
      principal: { kind: 'internal', service: 'admin', contextId: 0 },
      query: { name },
    });
  }
}
