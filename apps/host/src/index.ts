export { busUsers } from './bus-users';
export * from './installation-backup';
export * from './installation-files';
export * from './installation-schemas';
export * from './modules';
export { loadModules, moduleNamesOf, startHost } from './start-host';
