import { Injectable } from '@nestjs/common';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { LiaisonRepository } from './persistence/liaison.repository';
import { ShareRepository } from './persistence/share.repository';

/** Writes the other side of shares. */
@Injectable()
export class LiaisonWriter {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly shares: ShareRepository,
    private readonly liaisons: LiaisonRepository,
  ) {}

  /**
   * Writes the liaison of a share as it is now, unless the share is gone. The share stays locked until the liaison is committed:
   * a revocation deletes the share first and the liaison after that, so it finds what is written here.
   */
  async writeLiaison(tx: Transaction, shareId: string): Promise<void> {
    const share = await this.shares.lockById(tx, shareId);
    if (!share) return;
    await this.database.transact({ contextId: share.granteeContext }, (other) =>
      this.liaisons.upsertShare(other, share),
    );
  }
}
