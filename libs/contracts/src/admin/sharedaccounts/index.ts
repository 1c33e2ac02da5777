export * from './sharedaccounts.contract';
export * from './sharedaccounts.errors';
