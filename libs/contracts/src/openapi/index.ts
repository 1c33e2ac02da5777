export * from './openapi';
export { type JsonSchema } from './schema-writer';
