export { busUsers } from './bus-users';
export * from './modules';
export { loadModules, moduleNamesOf, startHost } from './start-host';
