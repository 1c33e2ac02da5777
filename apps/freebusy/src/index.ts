import { chronosFreeBusy, freebusy, freeBusyRest } from '@groupware/contracts';
import { directoryProvider, freeBusyVisibilityProvider } from '@groupware/directory';
import { outboundProviders, OutboundSettings } from '@groupware/outbound';
import { defineService, RedisSettings } from '@groupware/service-kit';
import { Contexts } from './contexts';
import { FreeBusy } from './free-busy';
import { PublishedTimes } from './published-times';
import { requestLimitProvider } from './request-limit';
import { ForeignSources } from './sources/foreign-sources';
import { SourceConfig } from './sources/source.config';

/** Free/busy times through every door. It keeps no data of its own. */
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
});
