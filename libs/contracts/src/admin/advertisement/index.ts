export * from './advertisement.contract';
export * from './advertisement.errors';
export * from './advertisement.properties';
