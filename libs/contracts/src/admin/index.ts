export * from './site/site.contract';
export * from './advertisement';
