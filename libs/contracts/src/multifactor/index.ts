export * from './multifactor.contract';
export * from './multifactor.errors';
export * from './multifactor.properties';
