/** A domain event: past tense, ids only. At least once; consumers are idempotent. */
export interface EventType<P extends object = object> {
  /** `calendar.appointment.deleted`: module, thing, what happened. */
  readonly name: string;
  readonly doc: string;
  /** The service that publishes it. */
  readonly service: string;
  /** Marks a type only. */
  readonly payload?: P;
}

/** An event as a consumer receives it. */
export interface EventMessage<P extends object = object> {
  /** Unique; consumers note it in the transaction of their effect. */
  readonly id: string;
  readonly name: string;
  readonly contextId: number;
  /** When it was committed, ms UTC. */
  readonly occurredAt: number;
  readonly payload: P;
}

/** Payload of an event type. */
export type PayloadOf<E> = E extends EventType<infer P> ? P : never;

/** Describes one event. */
export const event = <P extends object>(doc: string): { doc: string; payload?: P } => ({ doc });

const known = new Map<string, EventType>();

/** Every declared event, sorted by name. */
export const allEvents = (): readonly EventType[] => [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));

/**
 * Declares the events of a module.
 * @param service the service that publishes them; default: the module's name
 * @example eventCatalog('calendar', { 'appointment.deleted': event<{ id: number }>('An appointment is gone') })
 */
export function eventCatalog<T extends Record<string, { doc: string; payload?: object }>>(
  module: string,
  events: T,
  { service = module }: { service?: string } = {},
): { readonly [K in keyof T]: EventType<NonNullable<T[K]['payload']>> } {
  const types = Object.entries(events).map(
    ([name, { doc }]) => [name, { name: `${module}.${name}`, doc, service }] as const,
  );
  for (const [, type] of types) known.set(type.name, type);
  return Object.fromEntries(types) as { readonly [K in keyof T]: EventType<NonNullable<T[K]['payload']>> };
}
