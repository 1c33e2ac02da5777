import type { EventType, Operation } from '@groupware/contracts';
import { directSubject } from './wire';

/** Tokens of reply subjects: for the server itself, for answers to pings, and for messages of a caller (credits, claims). */
export const REQUEST_REPLY = 'request';
export const PING_REPLY = 'ping';
export const CALLER_REPLY = 'caller';

/**
 * The begin of all reply subjects of a client. Who may publish an answer follows: `<inbox>.<service>.<nonce>.<number>`, so that
 * no service can answer a call that went to another one.
 */
export const inboxOf = (prefix: string, client: string): string => `${prefix}.inbox.${client}`;

/** The client of a process that hosts these services. */
export const clientOf = (services: readonly string[]): string => [...services].sort().join('+') || 'none';

/** Name of the stream of events of an installation. */
export const streamOf = (prefix: string): string => `${prefix.replace(/[^A-Za-z0-9_-]/g, '_')}-events`;

/** A service as far as its rights on the bus go. */
export interface BusService {
  readonly name: string;
  /** The edge: it calls every operation, on behalf of users. */
  readonly callsForClients?: boolean;
  /** Operations of clients or operators that it calls, besides those between services that say so (`calledBy`). */
  readonly calls?: readonly Operation[];
}

/** Subjects that a client may publish to and subscribe to; nothing else. */
export interface BusPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Whether a service may call an operation. */
export const mayCall = ({ name, callsForClients, calls = [] }: BusService, operation: Operation): boolean =>
  callsForClients === true ||
  calls.includes(operation) ||
  operation.calledBy === 'everyService' ||
  operation.calledBy?.includes(name) === true;

/**
 * The rights of a process that hosts some services, derived from the contracts: it answers its own operations and calls what
 * {@link mayCall} allows.
 * @param operations of the whole product
 * @param events of the whole product
 * @param eventsOf names of the catalogues whose events each service publishes; default: the one of its own name
 */
export function busPermissions(
  services: readonly BusService[],
  operations: readonly Operation[],
  events: readonly EventType[],
  prefix = 'gw',
): BusPermissions {
  const names = services.map(({ name }) => name);
  const answered = operations.filter(({ service }) => names.includes(service));
  const called = services.some(({ callsForClients }) => callsForClients)
    ? ['svc.>', directSubject('*', '*', '>')]
    : operations
        .filter((operation) => services.some((each) => mayCall(each, operation)))
        .flatMap(({ subject, service }) => [subject, directSubject('*', service, subject)]);
  const published = events.filter(({ service }) => names.includes(service)).map(({ name }) => `event.${name}`);
  const stream = streamOf(prefix);
  const own = (subjects: readonly string[]) => subjects.map((subject) => `${prefix}.${subject}`);
  return {
    publish: sorted([
      ...own(['beat', 'cancel', 'broadcast.>', 'ping.*', ...called, ...published]),
      ...own([...names, PING_REPLY, CALLER_REPLY].map((from) => `inbox.*.${from}.>`)),
      '$JS.API.INFO',
      ...['INFO', 'CREATE', 'UPDATE'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
      ...['CREATE', 'DURABLE.CREATE', 'INFO', 'MSG.NEXT', 'DELETE'].map(
        (verb) => `$JS.API.CONSUMER.${verb}.${stream}.>`,
      ),
      `$JS.API.CONSUMER.CREATE.${stream}`,
      `$JS.ACK.${stream}.>`,
    ]),
    subscribe: sorted(
      own([
        'beat',
        'cancel',
        'broadcast.>',
        ...names.flatMap((name) => [`ping.${name}`, directSubject('*', name, '>')]),
        ...answered.map(({ subject }) => subject),
        `inbox.${clientOf(names)}.>`,
      ]),
    ),
  };
}

const sorted = (subjects: readonly string[]): string[] => [...new Set(subjects)].sort();
