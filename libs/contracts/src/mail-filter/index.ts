export * from './mail-filter.contract';
export * from './mail-filter.errors';
export * from './mail-filter.model';
export * from './mail-filter.properties';
