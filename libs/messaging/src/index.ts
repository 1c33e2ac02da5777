export { Bus, type BusCredentials, type BusLoad, type BusOptions } from './bus';
export { busPermissions, clientOf, type BusPermissions, type BusService } from './bus-permissions';
export { takesClaim, takesKey, type CallKey } from './call-key';
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
  toCatalogueError,
  freshErrorId,
  ModuleServer,
  type CallLabels,
  type CallOutcome,
  type ClaimStore,
  type KeptReply,
  type ModuleServerOptions,
  type ReplyStore,
} from './module-server';
export { publicHalfOf, type PrincipalKeys } from './principals';
export type { CallBody } from './call-body';
export type { CallContext, OutgoingCall } from './wire';
