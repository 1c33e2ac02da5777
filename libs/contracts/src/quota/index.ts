export * from './quota.contract';
export * from './quota.errors';
export * from './quota-owner.contract';
export * from './quota-overview.contract';
