export * from './picture.queries';
