import { DavClientLimits } from './dav-client-limits';
import { DavClientLooks } from './dav-client-looks';
import { Onboarding } from './onboarding';
import { setUpTokensProvider } from './set-up-tokens';

/** What the set-up of DAV clients is made of. */
export const davClientProviders = [setUpTokensProvider, DavClientLimits, DavClientLooks, Onboarding];
