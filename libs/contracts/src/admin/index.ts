export * from './site/site.contract';
