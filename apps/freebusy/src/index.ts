import { chronosFreeBusy, freebusy, freeBusyRest } from '@groupware/contracts';
import { directoryProvider, freeBusyVisibilityProvider } from '@groupware/directory';
import { outboundProviders, OutboundSettings } from '@groupware/outbound';
import { defineService, RedisSettings } from '@groupware/service-kit';
import { Contexts } from './lookup/contexts';
import { FreeBusy } from './lookup/free-busy';
import { PublishedTimes } from './published/published-times';
import { RequestLimit, requestLimitProvider } from './published/request-limit';
import { ForeignSources } from './sources/foreign-sources';
import { SourceConfig } from './sources/source.config';

/** The free/busy service; it stores no data. */
export const service = defineService({
  name: 'freebusy',
  contracts: [freebusy, chronosFreeBusy, freeBusyRest],
  config: [RedisSettings, SourceConfig, OutboundSettings],
  directory: __dirname,
  providers: [
    directoryProvider('freebusy'),
    freeBusyVisibilityProvider('freebusy'),
    Contexts,
    FreeBusy,
    PublishedTimes,
    ForeignSources,
    requestLimitProvider,
    ...outboundProviders,
  ],
  checks: (module) => ({ redis: () => module.get(RequestLimit, { strict: false }).ping() }),
});
