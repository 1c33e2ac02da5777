export * from './mail.access';
export * from './mail.errors';
export * from './mail.model';
export * from './mail.properties';
export * from './mail.queries';
export * from './mail.contract';
export * from './mail-folders.contract';
