export { Bus, type BusCredentials, type BusLoad, type BusOptions } from './bus';
export { busPermissions, clientOf, type BusPermissions, type BusService } from './bus-permissions';
export { takesClaim, takesKey, CallKey } from './call-key';
export { Caller, DEFAULT_DEADLINE_MS, type RawReply } from './caller';
export { EventBus, type BatchSubscription, type EventSubscription } from './event-bus';
export {
  DEFAULT_EVENT_STREAM,
  discardEvents,
  type EventReceipt,
  type EventStreamSettings,
  type StreamGeneration,
} from './event-stream';
export { freshErrorId, toCatalogueError } from './call-errors';
export type { CallLabels } from './call-labels';
export type { ClaimStore, KeptReply, ReplyStore } from './idempotent-calls';
export { DEFAULT_MAX_RUNNING, ModuleServer, type CallOutcome, type ModuleServerOptions } from './module-server';
export { publicHalfOf, type PrincipalKeys } from './principals';
export type { CallBody } from './call-body';
export type { CallContext, OutgoingCall } from './wire';
