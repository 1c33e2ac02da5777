import { fileStoreProvider } from '@groupware/file-store';
import { outboundProviders } from '@groupware/outbound';
import { EventBus } from '@groupware/messaging';
import { Pictures } from '@groupware/pictures';
import { ConfigurationFiles, Logger, PROPERTY_CHANGED } from '@groupware/service-kit';
import { sessionStoreProvider } from '@groupware/sessions';
import type { Provider } from '@nestjs/common';
import { AppPasswordRepository } from './app-passwords/app-password.repository';
import { AppPasswords } from './app-passwords/app-passwords';
import { ContextSets } from './configuration/context-sets';
import { Resellers } from './configuration/resellers';
import { Demo } from './demo/demo';
import { DirectoryReader } from './directory/directory-reader';
import { ClientGroups } from './directory/client-groups';
import { GuestUsers } from './directory/guest-users';
import { UserRows } from './directory/user-rows';
import { Passwords } from './domain/passwords';
import { IdentityConfig } from './configuration/identity.config';
import { GuestAccess } from './guests/guest-access';
import { GuestCleaner } from './guests/guest-cleaner';
import { GuestCalendars } from './guests/guest-calendars';
import { GuestDocuments } from './guests/guest-documents';
import { GuestFolders } from './guests/guest-folders';
import { GuestLinks } from './guests/guest-links';
import { GuestWithdrawals } from './guests/guest-withdrawals';
import { GuestRepository } from './persistence/guest.repository';
import { GuestPasswords } from './guests/guest-passwords';
import { GuestResets } from './guests/guest-resets';
import { GuestVault } from './guests/guest-vault';
import { ImportMappings } from './import/field-mapping';
import { Importer } from './import/importer';
import { GroupImport } from './import/group-import';
import { ResourceImport } from './import/resource-import';
import { RowImporter } from './import/row-importer';
import { UserImport } from './import/user-import';
import { JobPages } from './jobs/job-pages';
import { JobRunner } from './jobs/job-runner';
import { Cascade } from './configuration/cascade';
import { CredentialCheck } from './authentication/credential-check';
import { LoginFlow } from './authentication/login-flow';
import { LoginLimits } from './attempts/login-limits';
import { LoginTokens } from './authentication/login-tokens';
import { MasterAdmins } from './authentication/master-admins';
import { OwnPasswords } from './provisioning/own-passwords';
import { PasswordPolicies } from './configuration/password-policies';
import { ActiveUsers } from './directory/active-users';
import { CurrentUsers } from './directory/current-users';
import { PrincipalBuilder } from './directory/principal-builder';
import { PasswordCache } from './authentication/password-cache';
import { RampUpLoader } from './authentication/ramp-up';
import { RandomTokenLogin } from './authentication/random-token-login';
import { SignOnLogin } from './authentication/sign-on-login';
import { Logout } from './authentication/logout';
import { SessionKeeper } from './sessions/session-keeper';
import { SessionOpener } from './authentication/session-opener';
import { BackupStringProvider } from './multifactor/backup-string.provider';
import { FactorDeviceRepository } from './multifactor/factor-device.repository';
import { FactorPolicy } from './multifactor/factor-policy';
import { FactorProviders } from './multifactor/factor-providers';
import { FactorRegistration } from './multifactor/factor-registration';
import { FactorVault } from './multifactor/factor-vault';
import { SecondFactors } from './multifactor/second-factors';
import { SmsGateway } from './multifactor/sms-gateway';
import { SmsProvider } from './multifactor/sms.provider';
import { TotpProvider } from './multifactor/totp.provider';
import { U2fProvider } from './multifactor/u2f.provider';
import { WebAuthnProvider } from './multifactor/web-authn.provider';
import { WebOrigin } from './multifactor/web-origin';
import { AccessCombinationRepository } from './persistence/access-combination.repository';
import { AuditRepository } from './persistence/audit.repository';
import { ContextRepository } from './persistence/context.repository';
import { GroupRepository } from './persistence/group.repository';
import { InvitationRepository } from './persistence/invitation.repository';
import { JobRepository } from './persistence/job.repository';
import { LoginHistoryRepository } from './persistence/login-history.repository';
import { PasswordChangeRepository } from './persistence/password-change.repository';
import { CapacityRepository } from './persistence/capacity.repository';
import { PropertyRepository } from './configuration/property.repository';
import { ResellerRepository } from './configuration/reseller.repository';
import { ResourceRepository } from './persistence/resource.repository';
import { TombstoneRepository } from './persistence/tombstone.repository';
import { UserAttributeRepository } from './persistence/user-attribute.repository';
import { UserImageRepository } from './persistence/user-image.repository';
import { UserRepository } from './persistence/user.repository';
import { PrivateDataAccess } from './directory/private-data-access';
import { ChangeNotifier } from './provisioning/change-notifier';
import { ContextEditor } from './provisioning/context-editor';
import { ContextRemover } from './provisioning/context-remover';
import { ContextMover } from './provisioning/context-mover';
import { FilestoreVault } from './provisioning/filestore-vault';
import { GroupEditor } from './provisioning/group-editor';
import { Idempotency } from './provisioning/idempotency';
import { InstallationAudit } from './provisioning/installation-audit';
import { PasswordHistory } from './provisioning/password-history';
import { PropertyEditor } from './provisioning/property-editor';
import { ResellerEditor } from './provisioning/reseller-editor';
import { Readiness } from './provisioning/readiness';
import { ResellerLimits } from './provisioning/reseller-limits';
import { ResourceEditor } from './provisioning/resource-editor';
import { PersonEditor } from './provisioning/person-editor';
import { UserEditor } from './provisioning/user-editor';
import { UserImages } from './provisioning/user-images';
import { OwnSessions } from './sessions/own-sessions';
import { SessionCloser } from './sessions/session-closer';

const log = Logger.for('identity');

/** Providers of all handlers. */
export const identityProviders: readonly Provider[] = [
  sessionStoreProvider(log),
  fileStoreProvider,
  Pictures,
  {
    provide: Passwords,
    inject: [IdentityConfig],
    useFactory: (config: IdentityConfig) =>
      new Passwords({
        memoryKib: config.hashMemoryKib,
        passes: config.hashPasses,
        concurrency: config.hashConcurrency,
        maxWaiting: config.hashMaxWaiting,
      }),
  },
  {
    provide: MasterAdmins,
    inject: [IdentityConfig],
    useFactory: (config: IdentityConfig) => MasterAdmins.parse(config.masterAdmins.reveal()),
  },
  {
    provide: ContextSets,
    inject: [IdentityConfig, ConfigurationFiles, EventBus],
    useFactory: (config: IdentityConfig, files: ConfigurationFiles, events: EventBus) =>
      ContextSets.open(config.contextSets, files, () => events.broadcast(PROPERTY_CHANGED, {})),
  },
  {
    provide: ImportMappings,
    inject: [IdentityConfig, ConfigurationFiles],
    useFactory: (config: IdentityConfig, files: ConfigurationFiles) => ImportMappings.open(config.importMapping, files),
  },
  ResellerRepository,
  Resellers,
  PasswordCache,
  Readiness,
  ResellerLimits,
  ResellerEditor,
  AccessCombinationRepository,
  AuditRepository,
  ContextRepository,
  GroupRepository,
  InvitationRepository,
  JobRepository,
  CapacityRepository,
  PropertyRepository,
  PasswordChangeRepository,
  LoginHistoryRepository,
  ResourceRepository,
  UserRepository,
  TombstoneRepository,
  UserAttributeRepository,
  UserImageRepository,
  PrivateDataAccess,
  Cascade,
  ActiveUsers,
  CurrentUsers,
  PrincipalBuilder,
  Logout,
  SessionKeeper,
  SessionOpener,
  LoginLimits,
  OwnPasswords,
  PasswordPolicies,
  AppPasswordRepository,
  AppPasswords,
  CredentialCheck,
  LoginFlow,
  GuestAccess,
  GuestCleaner,
  GuestCalendars,
  GuestDocuments,
  GuestFolders,
  GuestLinks,
  GuestWithdrawals,
  GuestRepository,
  GuestUsers,
  GuestPasswords,
  GuestResets,
  GuestVault,
  LoginTokens,
  RampUpLoader,
  ...outboundProviders,
  SmsGateway,
  WebOrigin,
  TotpProvider,
  SmsProvider,
  WebAuthnProvider,
  U2fProvider,
  BackupStringProvider,
  FactorDeviceRepository,
  FactorPolicy,
  FactorProviders,
  FactorVault,
  SecondFactors,
  FactorRegistration,
  SessionCloser,
  OwnSessions,
  RandomTokenLogin,
  SignOnLogin,
  DirectoryReader,
  ClientGroups,
  UserRows,
  ChangeNotifier,
  ContextEditor,
  ContextMover,
  ContextRemover,
  InstallationAudit,
  JobPages,
  JobRunner,
  FilestoreVault,
  GroupEditor,
  Idempotency,
  PropertyEditor,
  ResourceEditor,
  PasswordHistory,
  PersonEditor,
  UserEditor,
  UserImages,
  RowImporter,
  GroupImport,
  ResourceImport,
  UserImport,
  Importer,
  Demo,
];
