import { calendarSecrets, type CallOf, type Handler, type ResealedSecrets } from '@groupware/contracts';
import { ModuleDatabase, resealColumns, type SealedColumn } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FeedVault } from '../feeds/feed-vault';

/** Reseals addresses of calendars of the web with the newest key. */
@Handles(calendarSecrets.resealCalendarSecrets)
export class ResealCalendarSecretsHandler implements Handler<typeof calendarSecrets.resealCalendarSecrets> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly vault: FeedVault,
  ) {}

  handle({ signal }: CallOf<typeof calendarSecrets.resealCalendarSecrets>): Promise<ResealedSecrets> {
    const addresses: SealedColumn<{ context_id: number; user_id: number }> = {
      table: 'feed',
      column: 'address',
      key: ['context_id', 'folder_id'],
      others: ['user_id'],
      reseal: (sealed, row) => this.vault.resealAddress(row.context_id, row.user_id, sealed),
    };
    return resealColumns(this.database, [addresses], signal);
  }
}
