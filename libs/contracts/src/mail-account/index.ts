export * from './mail-account.model';
export * from './mail-account.errors';
export * from './mail-account.events';
export * from './mail-account.properties';
export * from './mail-account.contract';
export * from './autoconfig.contract';
export * from './certificate.contract';
export * from './mail-session.contract';
