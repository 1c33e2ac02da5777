export * from './settings.errors';
export * from './jslob.contract';
export * from './config.contract';
export * from './manifests.contract';
export * from './client-start.contract';
export * from './user-config.contract';
export * from './coming-modules.contract';
export * from './own-properties';
