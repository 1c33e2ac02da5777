import { UploadErrors, type Principal } from '@groupware/contracts';

/** Most bytes that may be in the file store without belonging to anything yet. */
export interface IncomingLimits {
  readonly maxIncomingBytesPerUser: number;
  /** Of all users of a context together, and of each administrator. */
  readonly maxIncomingBytes: number;
}

/** The bytes that one request has brought so far. */
export interface IncomingShare {
  /** Adds bytes before they are stored. @throws UPL-0005 when whoever sends them has too many in the store already */
  add(bytes: number): void;
  /** Ends the count: the files were taken by a service or removed. */
  release(): void;
}

/**
 * Counts the bytes of uploads from their first byte until their call has ended. No quota knows them before: they would fill the
 * disk for everybody.
 */
export class IncomingBytes {
  private readonly held = new Map<string, number>();

  constructor(private readonly limits: IncomingLimits) {}

  /** Begins to count for one request. */
  open(principal: Principal): IncomingShare {
    const owners = this.ownersOf(principal);
    let own = 0;
    return {
      add: (bytes) => {
        for (const { key, max } of owners) {
          const total = (this.held.get(key) ?? 0) + bytes;
          if (total > max) throw UploadErrors.tooLarge(total, max);
        }
        own += bytes;
        for (const { key } of owners) this.held.set(key, (this.held.get(key) ?? 0) + bytes);
      },
      release: () => {
        for (const { key } of owners) {
          const rest = (this.held.get(key) ?? 0) - own;
          if (rest > 0) this.held.set(key, rest);
          else this.held.delete(key);
        }
        own = 0;
      },
    };
  }

  private ownersOf(principal: Principal): { key: string; max: number }[] {
    const { maxIncomingBytes, maxIncomingBytesPerUser } = this.limits;
    if (principal.kind !== 'user') return [{ key: nameOf(principal), max: maxIncomingBytes }];
    const { contextId, userId } = principal;
    return [
      { key: `${contextId} ${userId}`, max: maxIncomingBytesPerUser },
      { key: String(contextId), max: maxIncomingBytes },
    ];
  }
}

const nameOf = (principal: Exclude<Principal, { kind: 'user' }>): string =>
  `${principal.kind}:${'login' in principal ? String(principal.login) : ''}`.replaceAll(' ', '_');
