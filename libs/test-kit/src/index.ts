export * from './certificates';
export * from './dovecot';
export * from './name-server';
export * from './recording-connector';
export * from './tenant-isolation';
export * from './test-database';
export * from './test-servers';
export * from './until';
