import { Injectable } from '@nestjs/common';
import type { OwnedPermission } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { FolderModuleRules } from './folder-module';
import { FolderRepository } from './persistence/folder.repository';
import { WithdrawalNotices } from './withdrawal-notices';

/** Tells of users and guests who lost the last right of their own in this module: guests go with what they were given. */
@Injectable()
export class Withdrawals {
  constructor(
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
    private readonly notices: WithdrawalNotices,
  ) {}

  /** To be called after the rights are written. `before`: rights as they were, of which some may be left. */
  async publishWithdrawals(tx: Transaction, before: readonly OwnedPermission[], stamp: number): Promise<void> {
    const concerned = new Set(before.flatMap(({ entity, group }) => (group ? [] : [entity])));
    if (concerned.size === 0) return;
    for (const { entity } of await this.folders.listGranted(tx, [...concerned])) concerned.delete(entity);
    if (concerned.size > 0)
      await this.notices.publishWithdrawn(tx, this.rules.events['folders.withdrawn'], [...concerned], stamp);
  }
}
