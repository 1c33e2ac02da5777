import { pushSecrets, type CallOf, type Handler, type ResealedSecrets } from '@groupware/contracts';
import { ModuleDatabase, resealColumns, type SealedColumn } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { VapidKeyStore } from '../delivery/vapid-keys';
import { TokenVault } from '../token-vault';

/** Reseals tokens of subscriptions and the key of Web Push with the newest key. */
@Handles(pushSecrets.resealPushSecrets)
export class ResealPushSecretsHandler implements Handler<typeof pushSecrets.resealPushSecrets> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly tokens: TokenVault,
    private readonly vapidKeys: VapidKeyStore,
  ) {}

  handle({ signal }: CallOf<typeof pushSecrets.resealPushSecrets>): Promise<ResealedSecrets> {
    const tokens: SealedColumn<{ context_id: number; user_id: number }> = {
      table: 'subscription',
      column: 'token',
      key: ['context_id', 'id'],
      others: ['user_id'],
      reseal: (sealed, row) => this.tokens.reseal(sealed, row.context_id, row.user_id),
    };
    const keys: SealedColumn = {
      table: 'server_key',
      column: 'private_key',
      key: ['name'],
      reseal: (sealed) => this.vapidKeys.resealPrivateKey(sealed),
    };
    return resealColumns(this.database, [tokens, keys], signal);
  }
}
