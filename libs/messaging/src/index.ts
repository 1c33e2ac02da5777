export { Bus, type BusCredentials, type BusLoad, type BusOptions } from './bus';
export { busPermissions, clientOf, type BusPermissions, type BusService } from './bus-permissions';
export { Caller, DEFAULT_DEADLINE_MS, type RawReply } from './caller';
export { EventBus, type BatchSubscription, type EventSubscription } from './event-bus';
export {
  DEFAULT_EVENT_STREAM,
  discardEvents,
  type EventReceipt,
  type EventStreamSettings,
  type StreamGeneration,
} from './event-stream';
export {
  DEFAULT_MAX_RUNNING,
  foreseen,
  freshErrorId,
  ModuleServer,
  type CallLabels,
  type CallOutcome,
  type ModuleServerOptions,
} from './module-server';
export type { CallBody, CallSurroundings, OutgoingCall } from './wire';
