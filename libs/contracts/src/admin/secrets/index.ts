export * from './secrets.contract';
