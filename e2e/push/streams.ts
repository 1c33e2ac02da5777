import { until } from '@groupware/test-kit';
import { WebSocket } from 'ws';
import type { Client } from '../client';

/** One event of a stream, whatever carried it. */
export interface StreamEvent {
  readonly id: string;
  /** Topic of a notice; hello, resync, closed. */
  readonly event: string;
  readonly data: any;
}

/** An open stream and what arrived on it. */
export interface OpenStream {
  readonly events: StreamEvent[];
  /** Id of the last event, or of the last sign of life. */
  readonly lastId: string;
  readonly isOver: boolean;
  /** Notices only. */
  readonly notices: StreamEvent[];
  /** Waits for so many notices. */
  expect(count: number): Promise<StreamEvent[]>;
  /** Waits for a notice with such data, and answers all that have it: what was done just before opening may still come. */
  about(data: object): Promise<StreamEvent[]>;
  close(): void;
}

const WORDS = new Set(['hello', 'resync', 'closed', 'position']);
const noticesOf = (events: readonly StreamEvent[]) => events.filter(({ event }) => !WORDS.has(event));

class Stream implements OpenStream {
  readonly events: StreamEvent[] = [];
  lastId = '';
  isOver = false;
  constructor(readonly close: () => void) {}

  get notices(): StreamEvent[] {
    return noticesOf(this.events);
  }

  add(event: StreamEvent): void {
    this.lastId = event.id || this.lastId;
    if (event.event !== 'position') this.events.push(event);
  }

  async expect(count: number): Promise<StreamEvent[]> {
    await until(() => this.notices.length >= count, 10_000).catch(() => undefined);
    expect(this.notices).toHaveLength(count);
    return this.notices;
  }

  async about(data: object): Promise<StreamEvent[]> {
    const such = () => this.notices.filter((notice) => isMatch(notice.data, data));
    await until(() => such().length > 0, 10_000);
    return such();
  }
}

const isMatch = (data: Record<string, unknown>, expected: object) =>
  Object.entries(expected).every(([name, value]) => data[name] === value);

/** Opens server-sent events for the session of a client, and waits for the first word. */
export async function openEvents(
  client: Client,
  parameters: Record<string, string> = {},
  lastEventId?: string,
): Promise<OpenStream> {
  const end = new AbortController();
  const response = await client.fetch(
    'GET',
    '/pns',
    { action: 'events', session: client.session, ...parameters },
    { signal: end.signal, headers: lastEventId ? { 'last-event-id': lastEventId } : {} },
  );
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw new Error(`${response.status} ${await response.text()}`);
  const stream = new Stream(() => end.abort());
  void read(response, stream)
    .catch(() => undefined)
    .finally(() => (stream.isOver = true));
  await until(() => stream.events.length > 0);
  return stream;
}

async function read(response: Response, stream: Stream): Promise<void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(part, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = Object.fromEntries(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      text = text.slice(end + 2);
      stream.add({
        id: fields.id ?? '',
        event: fields.data === undefined ? 'position' : fields.event!,
        data: fields.data && JSON.parse(fields.data),
      });
    }
  }
}

/** Opens a WebSocket for the session of a client, and waits for the first word. */
export async function openSocket(client: Client, parameters: Record<string, string> = {}): Promise<OpenStream> {
  const query = new URLSearchParams({ action: 'socket', session: client.session, ...parameters });
  const socket = new WebSocket(`${client.baseUrl.replace('http', 'ws')}/pns?${query}`, {
    headers: {
      'user-agent': client.userAgent,
      cookie: [...client.jar].map(([name, value]) => `${name}=${value}`).join('; '),
    },
  });
  const stream = new Stream(() => socket.close());
  socket.on('message', (data) => {
    const { type, id, topic, data: content } = JSON.parse(String(data));
    stream.add({ id, event: topic ?? type, data: content });
  });
  socket.on('close', () => (stream.isOver = true));
  const failed = new Promise<never>((_resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => reject(new Error(`status ${response.statusCode}`)));
    socket.on('error', reject);
  });
  await Promise.race([failed, until(() => stream.events.length > 0)]);
  return stream;
}
