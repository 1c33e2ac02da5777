import { action, allowCallers, defineModule, Field, internal, stream, value } from '../kit';
import { MAX_TOPICS } from './pns.contract';
import { PushErrors } from './push.errors';

const OF_THE_STREAM = allowCallers('the gateway names the user whose session opened the stream');

/** A notice on its way to streams. */
export interface Notice {
  /** Number of the notice for its user; each is one more than the one before. */
  readonly seq: number;
  readonly topic: string;
  readonly data: object;
  /** When it was committed, ms UTC. */
  readonly at: number;
}

/** Position of the notices of a user. */
export interface StreamPosition {
  /** Changes when numbers begin anew: positions of another epoch mean nothing. */
  readonly epoch: number;
  /** The newest number; 0 before the first. */
  readonly last: number;
  /** When that notice was committed, ms UTC: tells it from another one with its number, which a restored database makes. 0: not known. */
  readonly at: number;
}

/** Answer to {@link pushStreams.open}. */
export interface OpenedStream extends StreamPosition {
  /** Topics that stored subscriptions name; absent where there are none. */
  readonly topics?: readonly string[];
}

/** Answer to {@link pushStreams.replay}. */
export interface Replay extends StreamPosition {
  /** Notices after the asked one in order, complete; fewer than asked only where there are no more. */
  readonly notices: readonly Notice[];
  /** Some of them are no longer kept: the client has to load what it shows again. */
  readonly lost: boolean;
}

/** User and transport of a stream. */
export class StreamOpenQuery {
  @Field.int({ doc: 'User', min: 1 }) user!: number;
  @Field.text({ doc: 'sse or websocket', values: ['sse', 'websocket'] }) transport!: string;
}

/** Users with open streams in one context. */
export class StreamPositionsQuery {
  @Field.listOf('int', { doc: 'Users' }) users!: number[];
}

/** From where. */
export class StreamReplayQuery {
  @Field.int({ doc: 'User', min: 1 }) user!: number;
  @Field.number({ doc: 'Epoch of the position' }) epoch!: number;
  @Field.number({ doc: 'Number of the last notice that arrived' }) after!: number;
  @Field.number({ doc: 'When that notice was committed, ms UTC; 0 or absent: not known', optional: true }) at?: number;
}

/** Operations of the edge on streams of users. */
export const pushStreams = defineModule(
  'push-streams',
  {
    open: internal<StreamOpenQuery, OpenedStream>({
      access: OF_THE_STREAM,
      calledBy: ['gateway'],
      doc: 'Notices of the user are kept from now on; answers where they stand',
      query: StreamOpenQuery,
      reply: value<OpenedStream>('position and topics'),
      repeatable: true,
    }),
    positions: internal<StreamPositionsQuery, Record<string, StreamPosition>>({
      access: OF_THE_STREAM,
      calledBy: ['gateway'],
      doc: 'Where the notices of users with open streams stand; keeps their notices alive',
      query: StreamPositionsQuery,
      reply: value<Record<string, StreamPosition>>('positions by user id; users without notices are left out'),
      repeatable: true,
    }),
    replay: internal<StreamReplayQuery, Replay>({
      access: OF_THE_STREAM,
      calledBy: ['gateway'],
      doc: 'Notices after a position, some hundred at most',
      query: StreamReplayQuery,
      reply: value<Replay>('notices'),
      repeatable: true,
    }),
  },
  { service: 'push' },
);

/** Topics of a stream, and the event it begins after. */
export class StreamQuery {
  @Field.listOf('text', {
    doc: 'Only these topics; default: those of the subscriptions for this transport, else everything',
    optional: true,
    maxItems: MAX_TOPICS,
  })
  topics?: string[];
  @Field.text({
    doc: 'Id of the last event that arrived; the header Last-Event-ID wins. Without it the stream begins now',
    optional: true,
    maxLength: 64,
  })
  lastEventId?: string;
}

/** Streams of what happens, answered by the gateway itself. */
export const pnsStreams = defineModule(
  'pns',
  {
    events: action({
      access: OF_THE_STREAM,
      http: 'GET',
      doc: 'Server-sent events: hello, one event per notice named after its topic, resync when notices were lost, closed when the session ended',
      query: StreamQuery,
      reply: stream('text/event-stream'),
      errors: [PushErrors.badTopic, PushErrors.tooManyStreams],
    }),
    socket: action({
      access: OF_THE_STREAM,
      http: 'GET',
      doc: 'The same over a WebSocket: JSON objects with type hello, notice, position or resync',
      query: StreamQuery,
      reply: stream('application/json'),
      errors: [PushErrors.badTopic, PushErrors.tooManyStreams, PushErrors.noUpgrade],
    }),
  },
  { service: 'gateway' },
);

/** Most notices that one `replay` answers. */
export const REPLAY_LIMIT = 200;

/** Topic of the broadcast that positions of many users changed: those of open streams have to be asked for. */
export const POSITIONS_CHANGED = 'push.positions';

/** Topic of the broadcast about one user's notices. */
export const noticeBroadcast = (contextId: number, userId: number): string => `push.${contextId}.${userId}`;

/** Payload of {@link noticeBroadcast}: a notice, or word that the subscriptions of the user changed. */
export type NoticeBroadcast =
  | { readonly epoch: number; readonly notice: Notice; readonly subscriptions?: undefined }
  | { readonly subscriptions: true };
