import { mailAccountAdministration, type CallOf, type Handler, type ResealedPasswords } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import type { ServerSide } from '../domain/server-address';
import { PasswordVault } from '../credentials/password-vault';
import { AccountRepository, type PlacedAccount } from '../persistence/account.repository';

/** Accounts handled in one transaction. */
const BATCH = 500;

/** Reseals all passwords with the newest key, so that older keys can be removed from the settings. */
@Handles(mailAccountAdministration.resealPasswords)
export class ResealPasswordsHandler implements Handler<typeof mailAccountAdministration.resealPasswords> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly repository: AccountRepository,
    private readonly vault: PasswordVault,
  ) {}

  async handle({ signal }: CallOf<typeof mailAccountAdministration.resealPasswords>): Promise<ResealedPasswords> {
    const result = { checked: 0, resealed: 0, unreadable: 0 };
    for (const shard of await this.database.shardNames()) {
      let last: PlacedAccount | undefined;
      do {
        const from = last ?? { contextId: 0, userId: 0, id: -1 };
        // Interruptible: the next run continues with the remaining old values.
        if (signal.aborted) return result;
        last = await this.database.onShard(shard, 'a new key seals the passwords of all contexts', async (db) => {
          const accounts = await this.repository.lockWithPasswords(db, from, BATCH);
          for (const account of accounts) {
            const next = this.resealAccount(account, result);
            if (next) await this.repository.updatePasswords(db, next);
          }
          return accounts.at(-1);
        });
      } while (last);
    }
    return result;
  }

  private resealAccount(
    account: PlacedAccount,
    result: { checked: number; resealed: number; unreadable: number },
  ): PlacedAccount | undefined {
    let changed = false;
    const again = (sealed: string | null | undefined, side: ServerSide): string | null => {
      if (!sealed) return null;
      result.checked++;
      if (this.vault.isCurrent(sealed)) return sealed;
      const granted = this.vault.unsealPassword(account, account, side);
      if (!granted) {
        result.unreadable++;
        return sealed;
      }
      result.resealed++;
      changed = true;
      return this.vault.sealPassword(granted, { ...account, side });
    };
    const password = again(account.password, 'mail');
    const transport_password = again(account.transport_password, 'transport');
    return changed ? { ...account, password, transport_password } : undefined;
  }
}
