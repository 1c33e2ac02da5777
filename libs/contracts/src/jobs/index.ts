export * from './jobs.contract';
export * from './jobs.errors';
