export * from './quota.contract';
export * from './quota.errors';
