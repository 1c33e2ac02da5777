export { Bus, type BusOptions } from './bus';
export { Caller, DEFAULT_DEADLINE_MS, type RawReply } from './caller';
export { EventBus, type EventSubscription } from './event-bus';
export { foreseen, freshErrorId, ModuleServer, type CallOutcome, type ModuleServerOptions } from './module-server';
export type { OutgoingCall } from './wire';
