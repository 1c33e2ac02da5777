export * from './contact-facts';
export * from './directory';
export * from './people';
export * from './expiring-cache';
export * from './free-busy-visibility';
export * from './directory-provider';
export * from './directory-source';
export * from './principal-of-user';
