export * from './freebusy.access';
export * from './freebusy.contract';
export * from './freebusy.errors';
export * from './freebusy.model';
export * from './freebusy.properties';
