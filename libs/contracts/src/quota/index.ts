export * from './quota.contract';
