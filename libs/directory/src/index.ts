export * from './directory';
export * from './expiring-cache';
