import { fileStoreProvider } from '@groupware/file-store';
import { outboundProviders } from '@groupware/outbound';
import { EventBus } from '@groupware/messaging';
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
import { UserRows } from './directory/user-rows';
import { Passwords } from './domain/passwords';
import { IdentityConfig } from './identity.config';
import { GuestAccess } from './guests/guest-access';
import { GuestLinks } from './guests/guest-links';
import { GuestRepository } from './guests/guest.repository';
import { GuestVault } from './guests/guest-vault';
import { ImportMappings } from './import/field-mapping';
import { Importer } from './import/importer';
import { GroupRows } from './import/group-rows';
import { ResourceRows } from './import/resource-rows';
import { RowImporter } from './import/row-importer';
import { UserImport } from './import/user-import';
import { JobPages } from './jobs/job-pages';
import { JobRunner } from './jobs/job-runner';
import { Cascade } from './login/cascade';
import { CredentialCheck } from './login/credential-check';
import { LoginFlow } from './login/login-flow';
import { LoginLimits } from './login/login-limits';
import { LoginTokens } from './login/login-tokens';
import { MasterAdmins } from './login/master-admins';
import { OwnPasswords } from './login/own-passwords';
import { PasswordRules } from './login/password-rules';
import { PrincipalBuilder } from './login/principal-builder';
import { RememberedPasswords } from './login/remembered-passwords';
import { RampUp } from './login/ramp-up';
import { RandomTokenLogin } from './login/random-token-login';
import { SessionEnding } from './login/session-ending';
import { SessionKeeper } from './login/session-keeper';
import { SessionOpener } from './login/session-opener';
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
import { PlaceRepository } from './persistence/place.repository';
import { PropertyRepository } from './persistence/property.repository';
import { ResellerRepository } from './persistence/reseller.repository';
import { ResourceRepository } from './persistence/resource.repository';
import { TombstoneRepository } from './persistence/tombstone.repository';
import { UserAttributeRepository } from './persistence/user-attribute.repository';
import { UserImageRepository } from './persistence/user-image.repository';
import { UserRepository } from './persistence/user.repository';
import { OwnUser } from './directory/own-user';
import { AfterChange } from './provisioning/after-change';
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
import { PersonUpdate } from './provisioning/person-update';
import { UserEditor } from './provisioning/user-editor';
import { UserImages } from './provisioning/user-images';
import { OwnSessions } from './sessions/own-sessions';
import { SessionCloser } from './sessions/session-closer';

const log = Logger.for('identity');

/** What handlers are made of. */
export const identityProviders: readonly Provider[] = [
  sessionStoreProvider(log),
  fileStoreProvider,
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
  RememberedPasswords,
  Readiness,
  ResellerLimits,
  ResellerEditor,
  AccessCombinationRepository,
  AuditRepository,
  ContextRepository,
  GroupRepository,
  InvitationRepository,
  JobRepository,
  PlaceRepository,
  PropertyRepository,
  PasswordChangeRepository,
  LoginHistoryRepository,
  ResourceRepository,
  UserRepository,
  TombstoneRepository,
  UserAttributeRepository,
  UserImageRepository,
  OwnUser,
  Cascade,
  PrincipalBuilder,
  SessionEnding,
  SessionKeeper,
  SessionOpener,
  LoginLimits,
  OwnPasswords,
  PasswordRules,
  AppPasswordRepository,
  AppPasswords,
  CredentialCheck,
  LoginFlow,
  GuestAccess,
  GuestLinks,
  GuestRepository,
  GuestVault,
  LoginTokens,
  RampUp,
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
  DirectoryReader,
  ClientGroups,
  UserRows,
  AfterChange,
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
  PersonUpdate,
  UserEditor,
  UserImages,
  RowImporter,
  GroupRows,
  ResourceRows,
  UserImport,
  Importer,
  Demo,
];
