export * from './feedback.contract';
export * from './feedback.errors';
export * from './feedback.model';
export * from './feedback.properties';
