export * from './pns.contract';
export * from './push-input.contract';
export * from './push-mails.contract';
export * from './push-streams.contract';
export * from './push.errors';
export * from './push.events';
export * from './push.properties';
export * from './topics';
