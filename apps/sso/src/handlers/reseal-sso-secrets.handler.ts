import { ssoSecrets, type CallOf, type Handler, type ResealedSecrets } from '@groupware/contracts';
import { ModuleDatabase, resealColumns, type SealedColumn } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { TokenVault } from '../client/token-vault';

/** Reseals tokens of accounts with services elsewhere with the newest key. */
@Handles(ssoSecrets.resealSsoSecrets)
export class ResealSsoSecretsHandler implements Handler<typeof ssoSecrets.resealSsoSecrets> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly vault: TokenVault,
  ) {}

  handle({ signal }: CallOf<typeof ssoSecrets.resealSsoSecrets>): Promise<ResealedSecrets> {
    const tokens: SealedColumn<{ context_id: number; user_id: number; id: number }> = {
      table: 'oauth_account',
      column: 'sealed',
      key: ['context_id', 'user_id', 'id'],
      reseal: (sealed, { context_id: contextId, user_id: userId, id }) =>
        this.vault.resealTokens({ contextId, userId }, { id, sealed }),
    };
    return resealColumns(this.database, [tokens], signal);
  }
}
