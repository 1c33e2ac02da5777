export * from './session';
export * from './session-settings';
export * from './session-cookies';
export * from './session-guard';
export * from './session-store';
export { connectRedis } from './redis';
export { RateLimiter, type RateLimit } from './rate-limiter';
export { SealedText, SecretPermutation, SECRET_KEY_BYTES } from './sealed-text';
export { OneTimeTokens, type OneTimeTokenOptions } from './one-time-tokens';
