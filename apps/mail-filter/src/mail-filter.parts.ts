import { MailConnector, mailAccessProviders, mailClaimsProvider, SievePool } from '@groupware/mail-access';
import { outboundProviders } from '@groupware/outbound';
import type { Provider } from '@nestjs/common';
import { MailFilterSettings } from './mail-filter.config';
import { FilterService } from './rules/filter-service';
import { RuleSettingsReader } from './rules/rule-settings';
import { FilterAccounts } from './scripts/filter-accounts';
import { FilterScripts } from './scripts/filter-scripts';
import { RuleOwners } from './scripts/rule-owners';
import { UserLocks } from './scripts/user-locks';

/** Providers of handlers. */
export const providers: readonly Provider[] = [
  ...outboundProviders,
  ...mailAccessProviders,
  mailClaimsProvider,
  {
    provide: SievePool,
    inject: [MailConnector, MailFilterSettings],
    useFactory: (connector: MailConnector, { idleMs }: MailFilterSettings) => new SievePool(connector, idleMs),
  },
  FilterAccounts,
  FilterScripts,
  FilterService,
  RuleOwners,
  RuleSettingsReader,
  UserLocks,
];
