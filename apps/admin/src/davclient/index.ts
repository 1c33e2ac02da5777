import { DavClientLimits } from './dav-client-limits';
import { DavClientAppearance } from './dav-client-appearance';
import { Onboarding } from './onboarding';
import { setUpTokensProvider } from './set-up-tokens';

/** Providers of the setup of DAV clients. */
export const davClientProviders = [setUpTokensProvider, DavClientLimits, DavClientAppearance, Onboarding];
