export * from './errors';
export * from './events';
export * from './field';
export * from './operation';
export * from './parse';
export * from './principal';
export * from './properties';
export * from './reply';
