import { chronosFreeBusy, freebusy, freeBusyRest } from '@groupware/contracts';
import { directoryProvider } from '@groupware/directory';
import { defineService } from '@groupware/service-kit';
import { Contexts } from './contexts';
import { FreeBusy } from './free-busy';
import { FreeBusyConfig } from './freebusy.config';
import { PublishedTimes } from './published-times';
import { requestLimitProvider } from './request-limit';

/** Free/busy times through every door. It keeps no data of its own. */
export const service = defineService({
  name: 'freebusy',
  contracts: [freebusy, chronosFreeBusy, freeBusyRest],
  config: FreeBusyConfig,
  directory: __dirname,
  providers: [directoryProvider('freebusy'), Contexts, FreeBusy, PublishedTimes, requestLimitProvider],
});
