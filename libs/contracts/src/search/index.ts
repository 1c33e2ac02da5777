export * from './search.errors';
export * from './search-term';
