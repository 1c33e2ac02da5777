export * from './configuration.contract';
export * from './configuration.errors';
