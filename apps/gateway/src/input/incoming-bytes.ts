import { UploadErrors, type CatalogueError, type Principal } from '@groupware/contracts';
import type { IncomingQuota, QuotaOwner } from '../edge/ports';

/** Most bytes that may be in the file store without belonging to anything yet. */
export interface IncomingLimits {
  readonly maxIncomingBytesPerUser: number;
  /** Of all users of a context together, and of each administrator. */
  readonly maxIncomingBytes: number;
}

/** Owner of a bound, with the name of the setting that says so. */
interface IncomingOwner extends QuotaOwner {
  readonly setting: string;
}

/** The bytes that one request has brought so far. */
export interface IncomingShare {
  /** Adds bytes before they are stored. @throws UPL-0005 when the sender has too many in the store already */
  add(bytes: number): Promise<void>;
  /** Ends the count: the files were taken by a service or removed. */
  release(): void;
}

/** Lease of counted bytes: those of a killed process count until it ends, ms. */
export const INCOMING_LEASE_MS = 60_000;
const RENEWAL_MS = INCOMING_LEASE_MS / 3;
/**
 * So much is reserved ahead at most, where there is room for it, bytes: a question for each piece would take longer than the piece. It
 * begins with little and doubles: many small uploads at once would take the room of large ones otherwise.
 */
const STEP_BYTES = { first: 16 * 1024, most: 1024 * 1024 };

/**
 * Counts the bytes of uploads from their first byte until their call has ended. No quota knows them before: they would fill the
 * disk of all users. All gateways count together; while the store is away each one counts for itself.
 */
export class IncomingBytes {
  private readonly held = new Map<string, number>();
  private readonly shares = new Set<Share>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: IncomingLimits,
    private readonly quota: IncomingQuota,
  ) {}

  /** Begins to count for one request. */
  open(principal: Principal, requestId: string): IncomingShare {
    const share = new Share(this.ownersOf(principal), requestId, this.held, this.quota, () => this.close(share));
    this.shares.add(share);
    this.renewal ??= setInterval(() => this.shares.forEach((each) => each.renew()), RENEWAL_MS).unref();
    return share;
  }

  private close(share: Share): void {
    this.shares.delete(share);
    if (this.shares.size > 0) return;
    clearInterval(this.renewal);
    this.renewal = undefined;
  }

  private ownersOf(principal: Principal): IncomingOwner[] {
    const { maxIncomingBytes, maxIncomingBytesPerUser } = this.limits;
    const all = { max: maxIncomingBytes, setting: 'GATEWAY_MAX_INCOMING_BYTES' };
    if (principal.kind !== 'user') return [{ key: nameOf(principal), ...all }];
    const { contextId, userId } = principal;
    return [
      {
        key: `${contextId} ${userId}`,
        max: maxIncomingBytesPerUser,
        setting: 'GATEWAY_MAX_INCOMING_BYTES_PER_USER',
      },
      { key: String(contextId), ...all },
    ];
  }
}

class Share implements IncomingShare {
  private own = 0;
  /** Bytes reserved with all gateways. */
  private reserved = 0;
  private isOpen = true;

  constructor(
    private readonly owners: readonly IncomingOwner[],
    private readonly lease: string,
    private readonly held: Map<string, number>,
    private readonly quota: IncomingQuota,
    private readonly onClose: () => void,
  ) {}

  async add(bytes: number): Promise<void> {
    for (const owner of this.owners) {
      const total = (this.held.get(owner.key) ?? 0) + bytes;
      if (total > owner.max) throw tooMany(owner, total);
    }
    this.own += bytes;
    this.count(bytes);
    if (this.own > this.reserved) await this.reserve(this.own - this.reserved);
  }

  release(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.count(-this.own);
    this.onClose();
    // While the store is away the lease ends by itself.
    if (this.own > 0) this.quota.release(this.lease, this.owners).catch(() => undefined);
  }

  renew(): void {
    if (this.reserved === 0) return;
    const held = this.reserved;
    this.quota.request(this.lease, this.owners, { held, need: 0, want: 0 }).catch(() => undefined);
  }

  private async reserve(need: number): Promise<void> {
    const ahead = Math.min(STEP_BYTES.most, Math.max(STEP_BYTES.first, this.reserved));
    const request = { held: this.reserved, need, want: Math.max(need, ahead) };
    // While the store is away nothing is known of other gateways.
    const outcome = await this.quota.request(this.lease, this.owners, request).catch(() => undefined);
    if (!outcome) return;
    if ('owner' in outcome) {
      const { owner, total } = outcome;
      throw tooMany(
        this.owners.find(({ key }) => key === owner.key)!,
        total,
      );
    }
    this.reserved += outcome.granted;
  }

  private count(bytes: number): void {
    for (const { key } of this.owners) {
      const total = (this.held.get(key) ?? 0) + bytes;
      if (total > 0) this.held.set(key, total);
      else this.held.delete(key);
    }
  }
}

/** Error that names the setting of the bound, which is not that of a single upload. */
const tooMany = ({ max, setting }: IncomingOwner, total: number): CatalogueError =>
  UploadErrors.tooLarge(total, max).with({
    problematic: [{ name: setting, kind: 'limit', reason: `at most ${max}` }],
  });

const nameOf = (principal: Exclude<Principal, { kind: 'user' }>): string =>
  `${principal.kind}:${'login' in principal ? String(principal.login) : ''}`.replaceAll(' ', '_');
