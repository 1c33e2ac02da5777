export * from './session';
export * from './session-settings';
export * from './session-cookies';
export * from './session-guard';
export * from './session-store';
export { clearSessions } from './clear-sessions';
export { sessionDigest } from './session-records';
export { sessionStoreProvider } from './session-store.provider';
export { connectRedis } from './redis';
export { CallClaims } from './call-claims';
export { RateLimiter, type RateLimit } from './rate-limiter';
export {
  AttemptLimiter,
  tooManyRequests,
  type AttemptLimit,
  type AttemptLimiterOptions,
  type AttemptOutcome,
  type Refusal,
} from './attempts/attempt-limiter';
export { KeyedDigest, SealedText, SecretPermutation, SECRET_KEY_BYTES } from './sealed-text';
export { JobTable, type FoundJob, type Job, type JobOwner, type JobTableOptions } from './job-table';
export { LeasedQuota, type QuotaOutcome, type QuotaOwner, type QuotaRequest } from './leased-quota';
export { OneTimeTokens, type OneTimeTokenOptions } from './one-time-tokens';
export { SharedTable } from './shared-table';
export { SessionIndex } from './session-index';
export * from './sign-on';
export * from './web-client-address';
export { toTokenSessionId } from './access-tokens';
