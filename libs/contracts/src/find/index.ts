export * from './find.errors';
export * from './find.models';
export * from './find-page';
export * from './find-places';
export * from './find-range';
export * from './find-request';
export * from './find-values';
export * from './find.contract';
