import path from 'node:path';
import {
  appPasswords,
  authentication,
  capabilities,
  contextStorage,
  currentUser,
  directory,
  group,
  httpAuthLogin,
  jump,
  login,
  loginHistory,
  multifactorAdministration,
  multifactorDevice,
  multifactorProvider,
  passwordchange,
  provisioning,
  resellers,
  resource,
  sessionAdministration,
  sessionmanagement,
  system,
  token,
  user,
} from '@groupware/contracts';
import { defineService, ProcessSettings } from '@groupware/service-kit';
import { OutboundSettings } from '@groupware/outbound';
import { SessionStore } from '@groupware/sessions';
import { Demo, DEMO_FILE } from './demo/demo';
import { IdentityConfig } from './identity.config';
import { identityProviders } from './identity.providers';
import { CreateDirectory1763700000000 } from './migrations/1763700000000-create-directory';
import { CreateFactors1763740000000 } from './migrations/1763740000000-create-factors';
import { CreateResellers1763805000000 } from './migrations/1763805000000-create-resellers';
import { CountUsage1763815000000 } from './migrations/1763815000000-count-usage';

/** Contexts, users, groups, resources, credentials, login and provisioning. */
export const service = defineService({
  name: 'identity',
  contracts: [
    login,
    httpAuthLogin,
    token,
    jump,
    capabilities,
    user,
    currentUser,
    contextStorage,
    directory,
    authentication,
    appPasswords,
    group,
    resource,
    passwordchange,
    loginHistory,
    multifactorProvider,
    multifactorDevice,
    multifactorAdministration,
    provisioning,
    resellers,
    system,
    sessionmanagement,
    sessionAdministration,
  ],
  directory: __dirname,
  migrations: [
    CreateDirectory1763700000000,
    CreateFactors1763740000000,
    CreateResellers1763805000000,
    CountUsage1763815000000,
  ],
  providers: identityProviders,
  config: [IdentityConfig, OutboundSettings],
  checks: (module) => ({ redis: () => module.get(SessionStore, { strict: false }).ping() }),
  afterStart: async (module) => {
    const settings = module.get(ProcessSettings, { strict: false });
    if (settings.demo) await module.get(Demo, { strict: false }).make(path.resolve(settings.dataDir, DEMO_FILE));
  },
  beforeClose: (module) => module.get(SessionStore, { strict: false }).close(),
});
