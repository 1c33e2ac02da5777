export * from './directory';
export * from './expiring-cache';
export * from './directory-provider';
export * from './directory-source';
export * from './principal-of-user';
