import { identitySecrets, type CallOf, type Handler, type ResealedSecrets } from '@groupware/contracts';
import { ModuleDatabase, resealColumns, type SealedColumn } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { GuestVault } from '../guests/guest-vault';
import { FactorVault } from '../multifactor/factor-vault';
import { FilestoreVault } from '../provisioning/filestore-vault';

/** Reseals second factors, tokens of guests, pins of links and credentials of file stores with the newest key. */
@Handles(identitySecrets.resealIdentitySecrets)
export class ResealIdentitySecretsHandler implements Handler<typeof identitySecrets.resealIdentitySecrets> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly factors: FactorVault,
    private readonly guests: GuestVault,
    private readonly filestores: FilestoreVault,
  ) {}

  handle({ signal }: CallOf<typeof identitySecrets.resealIdentitySecrets>): Promise<ResealedSecrets> {
    const factors: SealedColumn<{ context_id: number; device_id: string; user_id: number }> = {
      table: 'factor_device',
      column: 'secret',
      key: ['context_id', 'device_id'],
      others: ['user_id'],
      reseal: (secret, row) =>
        this.factors.resealFacts(row.context_id, { id: row.device_id, userId: row.user_id, secret }),
    };
    const guests: SealedColumn<{ context_id: number; guest_id: number }> = {
      table: 'guest',
      column: 'token',
      key: ['context_id', 'guest_id'],
      reseal: (token, row) => this.guests.resealToken(row.context_id, { id: row.guest_id, token }),
    };
    const pins: SealedColumn<{ context_id: number; guest_id: number; password_hash: string | null }> = {
      table: 'guest',
      column: 'sealed_pin',
      key: ['context_id', 'guest_id'],
      others: ['password_hash'],
      reseal: (sealedPin, { context_id, guest_id: id, password_hash: passwordHash }) =>
        this.guests.resealPin(context_id, { id, sealedPin, passwordHash }),
    };
    const filestores: SealedColumn<{ filestore_id: number }> = {
      table: 'filestore',
      column: 'credentials',
      key: ['filestore_id'],
      reseal: (sealed, row) => this.filestores.resealCredentials(row.filestore_id, sealed),
    };
    return resealColumns(this.database, [factors, guests, pins, filestores], signal);
  }
}
