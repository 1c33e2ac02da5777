import path from 'node:path';
import {
  appPasswords,
  authentication,
  capabilities,
  contextStorage,
  currentUser,
  directory,
  group,
  guests,
  httpAuthLogin,
  identityQuota,
  installation,
  jump,
  folders,
  foldersWithdrawnEvents,
  jslob,
  login,
  mailAccount,
  loginHistory,
  multifactorAdministration,
  multifactorDevice,
  multifactorProvider,
  oauthAccounts,
  oauthServices,
  outgoingMail,
  passwordchange,
  provisioning,
  resellers,
  resource,
  sessionAdministration,
  sessionmanagement,
  share,
  shareRedeemToken,
  shareResetPassword,
  system,
  token,
  user,
  userPicture,
  identitySecrets,
} from '@groupware/contracts';
import {
  BasePathSettings,
  ConfigurationFiles,
  defineService,
  ProcessSettings,
  RedisSettings,
  SecretKeySettings,
} from '@groupware/service-kit';
import { fileStoreCheck, FILES, FileStoreSettings } from '@groupware/file-store';
import { OutboundSettings } from '@groupware/outbound';
import { PictureSettings } from '@groupware/pictures';
import { SessionStore } from '@groupware/sessions';
import { createFoldersWithdrawnConsumer } from './consumers/folders-withdrawn.consumer';
import { Demo, DEMO_FILE } from './demo/demo';
import { IdentityConfig } from './configuration/identity.config';
import { identityProviders } from './identity.providers';
import { SessionKeeper } from './sessions/session-keeper';
import { CreateDirectory1763700000000 } from './migrations/1763700000000-create-directory';
import { JobRunner } from './jobs/job-runner';
import { CreateFactors1763740000000 } from './migrations/1763740000000-create-factors';
import { CreateResellers1763805000000 } from './migrations/1763805000000-create-resellers';
import { CountUsage1763815000000 } from './migrations/1763815000000-count-usage';
import { CreateInstallation1763820000000 } from './migrations/1763820000000-create-installation';
import { ReserveRoom1763845000000 } from './migrations/1763845000000-reserve-room';
import { OpenFilestores1763841700000 } from './migrations/1763841700000-open-filestores';
import { Invitations1763952000000 } from './migrations/1763952000000-invitations';
import { CreateGuests1763955000000 } from './migrations/1763955000000-create-guests';
import { NameGuests1763956000000 } from './migrations/1763956000000-name-guests';
import { MailServers1763957000000 } from './migrations/1763957000000-mail-servers';
import { UserImages1763958000000 } from './migrations/1763958000000-user-images';
import { LinkDocuments1764500000000 } from './migrations/1764500000000-link-documents';
import { FindLinkedDocuments1764500100000 } from './migrations/1764500100000-find-linked-documents';
import { KeepFormerGuests1764500200000 } from './migrations/1764500200000-keep-former-guests';
import { LinkBranches1764500400000 } from './migrations/1764500400000-link-branches';
import { GuestContacts1764500500000 } from './migrations/1764500500000-guest-contacts';
import { CountGroupUses1764500600000 } from './migrations/1764500600000-count-group-uses';
import { GuestPersons1764500710000 } from './migrations/1764500710000-guest-persons';
import { RemoveGoneEntities1764500800000 } from './migrations/1764500800000-remove-gone-entities';
import { LoginTimeIndex1764500900000 } from './migrations/1764500900000-login-time-index';
import { ShowPins1764500300000 } from './migrations/1764500300000-show-pins';
import { LinkMeta1763959000000 } from './migrations/1763959000000-link-meta';
import { MailLoginIndex1763960000000 } from './migrations/1763960000000-mail-login-index';
import { AnnounceUsers1764400100000 } from './migrations/1764400100000-announce-users';
import { QuotasAreProperties1763951000000 } from './migrations/1763951000000-quotas-are-properties';

/** Contexts, users, groups, resources, credentials, login and provisioning. */
export const service = defineService({
  name: 'identity',
  consumers: foldersWithdrawnEvents().map(createFoldersWithdrawnConsumer),
  contracts: [
    identitySecrets,
    login,
    httpAuthLogin,
    identityQuota,
    token,
    jump,
    capabilities,
    user,
    currentUser,
    userPicture,
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
    installation,
    system,
    sessionmanagement,
    sessionAdministration,
    guests,
    share,
    shareRedeemToken,
    shareResetPassword,
  ],
  calls: [
    jslob.list,
    folders.list,
    folders.get,
    mailAccount.all,
    oauthServices.all,
    oauthAccounts.all,
    outgoingMail.send,
  ],
  directory: __dirname,
  migrations: [
    CreateDirectory1763700000000,
    CreateFactors1763740000000,
    CreateResellers1763805000000,
    CountUsage1763815000000,
    CreateInstallation1763820000000,
    OpenFilestores1763841700000,
    ReserveRoom1763845000000,
    QuotasAreProperties1763951000000,
    Invitations1763952000000,
    CreateGuests1763955000000,
    NameGuests1763956000000,
    MailServers1763957000000,
    UserImages1763958000000,
    LinkMeta1763959000000,
    MailLoginIndex1763960000000,
    AnnounceUsers1764400100000,
    LinkDocuments1764500000000,
    FindLinkedDocuments1764500100000,
    KeepFormerGuests1764500200000,
    ShowPins1764500300000,
    LinkBranches1764500400000,
    GuestContacts1764500500000,
    CountGroupUses1764500600000,
    GuestPersons1764500710000,
    RemoveGoneEntities1764500800000,
    LoginTimeIndex1764500900000,
  ],
  // Names, mail addresses and login mappings are unique over the installation.
  onDefaultShard: true,
  providers: identityProviders,
  config: [
    IdentityConfig,
    BasePathSettings,
    RedisSettings,
    SecretKeySettings,
    FileStoreSettings,
    OutboundSettings,
    PictureSettings,
  ],
  checks: (module) => ({
    redis: () => module.get(SessionStore, { strict: false }).ping(),
    filestore: fileStoreCheck(module.get(FILES, { strict: false })),
  }),
  afterStart: async (module) => {
    const settings = module.get(ProcessSettings, { strict: false });
    module.get(JobRunner, { strict: false }).start();
    const keeper = module.get(SessionKeeper, { strict: false });
    module
      .get(ConfigurationFiles, { strict: false })
      .onChange(() => void keeper.bestEffort(keeper.refreshAllContexts()));
    if (settings.demo) await module.get(Demo, { strict: false }).ensureDemo(path.resolve(settings.dataDir, DEMO_FILE));
  },
  beforeClose: async (module) => {
    await module.get(JobRunner, { strict: false }).stop();
    await module.get(SessionStore, { strict: false }).close();
  },
});
