export * from './search.errors';
export * from './search-term';
export * from './search.properties';
