export * from './modules';
export { loadModules, moduleNamesOf, startHost } from './start-host';
