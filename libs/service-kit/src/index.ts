export { AnnouncedCapabilities } from './announced-capabilities';
export { AlarmClock } from './alarm-clock';
export { AlarmLoop, type AlarmLoopSettings, type AlarmSource } from './alarm-loop';
export { Clock } from './clock';
export { hashPushToken, hashPushTokens } from './push-token';
export { BasePathSettings } from './config/base-path-settings';
export { EventSettings } from './config/event-settings';
export { HealthSettings } from './config/health-settings';
export { ListenerSettings } from './config/listener-settings';
export { startTracing } from './tracing/open-telemetry';
export { TracingSettings } from './tracing/tracing-settings';
export { ProcessSettings } from './config/process-settings';
export { RedisSettings } from './config/redis-settings';
export { SchemaSettings } from './config/schema-settings';
export { Secret } from './config/secret';
export { SecretKeySettings } from './config/secret-keys';
export {
  BadSettings,
  loadSettings,
  Setting,
  listSettings,
  type EffectiveSetting,
  type SettingOptions,
  type SettingsClass,
} from './config/setting';
export {
  Consumes,
  defineService,
  ConsumesBatches,
  listEvents,
  Handles,
  findOperation,
  type BatchConsumer,
  type Consumer,
  type Listeners,
  type ServiceDefinition,
  type ServiceOptions,
  type UpgradeTaker,
} from './define-service';
export { isKnown, isOther, isSameVersion, isUnmodified, rangeOf, rangesOf, type WantedRange } from './http/byte-ranges';
export { BASIC_CHALLENGE, basicCredentials, sameCredentials, type BasicCredentials } from './http/basic-auth';
export { joinToJson, sortInSlices, TextPieces, toJsonList, toJsonLists, toJsonNestedList } from './slices';
export { storeInBatches, storeWithHalves } from './batches';
export { Turns } from './turns';
export { isTurnOver, pauseAfterTurn, yieldToEventLoop } from './event-loop';
export { ClientAddresses, type ClientOrigin } from './http/client-address';
export { clientNetwork, siteNetwork } from './http/network';
export { SlowClients } from './http/slow-clients';
export { HealthChecks, PartlyDown, type DeclaredCheck } from './health/health-checks';
export {
  baseThreshold,
  configureLogs,
  isCallRepeatable,
  withLogScope,
  Logger,
  logsStack,
  setLogDestination,
  setLogLevel,
  showsStack,
  withLabels,
  type LogLabels,
} from './log/logger';
export { toLogLevel, THRESHOLD, findThreshold } from './log/log-configuration';
export { collatorOf } from './collators';
export { runCall } from './run-call';
export { toStackFields } from './call-log';
export { metrics } from './metrics';
export { Periodic } from './periodic';
export { ConfigurationFiles, type WatchedFiles } from './configuration/configuration-files';
export { parsePropertyLines, toVariableName } from './configuration/configuration-text';
export { ServerValues } from './configuration/server-values';
export { Properties, PROPERTY_CHANGED, type PropertyChange, type PropertyOwner } from './properties';
export { runServices } from './run-services';
export { type RunningServices } from './process/running-process';
export { scanService } from './scan';
export { BUILD_DATE, VERSION } from './version';
export { describeError } from './describe-error';
export { maskSession, maskSecrets } from './log/mask-secrets';
