import { Injectable } from '@nestjs/common';
import { shareEvents, type Share } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { ShareRepository, toNotice, type ShareRow } from './persistence/share.repository';

/** Writes the shares of a folder or object as they are now. */
@Injectable()
export class ShareWriter {
  constructor(
    private readonly shares: ShareRepository,
    private readonly clock: Clock,
  ) {}

  /** Replaces the stored shares of one folder or object; the other side follows the events. */
  async replaceShares(tx: Transaction, before: readonly ShareRow[], shares: readonly Share[]): Promise<void> {
    const stored = new Map(before.map((row) => [keyOf(row), row]));
    for (const share of shares) {
      const row = stored.get(keyOf(share));
      stored.delete(keyOf(share));
      if (row && isSame(row, share)) continue;
      const written = await this.shares.upsert(tx, share, this.clock.now());
      await tx.publish(shareEvents['share.granted'], toNotice(written));
    }
    for (const row of stored.values()) {
      await this.shares.delete(tx, row.shareId);
      await tx.publish(shareEvents['share.removed'], toNotice(row));
    }
  }
}

const keyOf = ({ owner, folder, granteeContext, entity, group }: Share | ShareRow): string =>
  [owner, folder, granteeContext, entity, group].join(':');

const isSame = (row: ShareRow, share: Share): boolean =>
  row.permissions === share.permissions &&
  row.name === share.name &&
  row.defaultFolder === (share.defaultFolder ?? false);
