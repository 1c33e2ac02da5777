import {
  birthdayAlarms,
  clientStart,
  collectedAddresses,
  config,
  directory,
  jslob,
  manifests,
  quotaOverview,
  recoverySecret,
  reminder,
  subscriptions,
  subscriptionSources,
  user,
  userConfig,
} from '@groupware/contracts';
import { ConfigurationFiles, defineService, Logger, RedisSettings, SecretKeySettings } from '@groupware/service-kit';
import { SessionStore, sessionStoreProvider } from '@groupware/sessions';
import { ClientProperties } from './client-properties';
import { directoryProvider } from '@groupware/directory';
import { ClientFile } from './configuration/client-file';
import { SettingsConfig } from './configuration/settings.config';
import { ConfigTree } from './config-tree';
import { DefaultFolders } from './default-folders';
import { Facts } from './facts';
import { CreateSettingsTree1795400000000 } from './migrations/1795400000000-create-settings-tree';
import { SettingsTreeRepository } from './persistence/settings-tree.repository';
import { Reminders } from './reminders';
import { ServerConfiguration } from './server-configuration';
import { ServerSettings } from './server-settings';
import { SettingTrees } from './setting-trees';

/** The settings service. */
export const service = defineService({
  name: 'settings',
  contracts: [
    jslob,
    config,
    manifests,
    clientStart,
    recoverySecret,
    subscriptions,
    subscriptionSources,
    quotaOverview,
    reminder,
    userConfig,
  ],
  calls: [
    birthdayAlarms.find,
    birthdayAlarms.replace,
    collectedAddresses.folder,
    directory.entities,
    directory.setOwnProperty,
    user.update,
  ],
  config: [SettingsConfig, RedisSettings, SecretKeySettings],
  directory: __dirname,
  migrations: [CreateSettingsTree1795400000000],
  providers: [
    SettingsTreeRepository,
    SettingTrees,
    ServerSettings,
    ServerConfiguration,
    ConfigTree,
    ClientProperties,
    Facts,
    Reminders,
    DefaultFolders,
    directoryProvider('settings'),
    sessionStoreProvider(Logger.for('settings.sessions')),
    {
      provide: ClientFile,
      inject: [SettingsConfig, ConfigurationFiles],
      useFactory: ({ clientFile }: SettingsConfig, files: ConfigurationFiles) => ClientFile.open(clientFile, files),
    },
  ],
  checks: (module) => ({ redis: () => module.get(SessionStore, { strict: false }).ping() }),
  beforeClose: (module) => module.get(SessionStore, { strict: false }).close(),
});
