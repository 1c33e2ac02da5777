import { setTimeout as wait } from 'node:timers/promises';
import {
  setTransactionGuard,
  allowCallers,
  defineModule,
  Field,
  internal,
  RequestErrors,
  SessionErrors,
  value,
  jsonText,
  reply,
  type CatalogueError,
  type EventMessage,
  type Operation,
} from '@groupware/contracts';
import { BreakableLink, until } from '@groupware/test-kit';
import type { MessageHandler } from '@nestjs/microservices';
import { connect, type NatsConnection } from 'nats';
import {
  Bus,
  Caller,
  DEFAULT_EVENT_STREAM,
  EventBus,
  ModuleServer,
  type CallLabels,
  type CallOutcome,
  type ClaimStore,
  type KeptReply,
  type ReplyStore,
  type StreamGeneration,
} from './index';
import { directSubject } from './wire';

const OPEN = allowCallers('declared by a test');

class EchoQuery {
  @Field.text({ doc: 'what to do' }) what!: string;
}
const echo = defineModule('echo', {
  run: internal({
    access: OPEN,
    calledBy: 'everyService',
    doc: 'test',
    query: EchoQuery,
    reply: value<any>('anything'),
  }),
});
const principal = { kind: 'internal' as const, service: 'test', contextId: 7 };
const prefix = `t${process.pid}-${Math.random().toString(36).slice(2)}`;

let bus: Bus;
let far: Bus;
let caller: Caller;
let server: ModuleServer;
const outcomes: CallOutcome[] = [];
let aborted = 0;
let slow = 0;
let streamed = 0;

async function handle(call: any): Promise<unknown> {
  const { what } = call.query as EchoQuery;
  if (what === 'principal') return call.principal;
  if (what === 'refuse') throw SessionErrors.unknown('abc');
  if (what === 'crash') throw new Error('password=secret at db7.internal');
  if (what === 'stamp') return reply({ a: 1 }, { timestamp: 5, warnings: [RequestErrors.unexpected()] });
  if (what === 'large') return 'x'.repeat(3 * 1024 * 1024);
  if (what.startsWith('endless')) {
    const stream = (async function* () {
      for (;;) {
        streamed += 1;
        yield Buffer.alloc(100 * 1024);
      }
    })();
    return what === 'endless text' ? reply(jsonText(stream), { headers: { 'X-A': 'b' } }) : stream;
  }
  if (what.startsWith('slow')) {
    slow += 1;
    call.signal.addEventListener('abort', () => (aborted += 1));
    await wait(Number(what.slice(4)));
    return 'done';
  }
  return what;
}

async function serve(on: Bus): Promise<ModuleServer> {
  const started = new ModuleServer({
    bus: on,
    service: 'echo',
    operations: [echo.run as Operation],
    observe: (outcome) => outcomes.push(outcome),
  });
  started.addHandler(echo.run.subject, handle as MessageHandler);
  await new Promise((resolve) => started.listen(resolve));
  return started;
}

beforeAll(async () => {
  const url = process.env.NATS_URL!;
  [bus, far] = await Promise.all([Bus.connect({ url, prefix }), Bus.connect({ url, prefix })]);
  caller = new Caller(bus);
  server = await serve(far);
});
afterAll(async () => {
  await server.close();
  await Promise.all([bus.close(), far.close()]);
});

const run = (what: string, deadlineMs = 10_000) =>
  caller.call(echo.run, { principal, query: { what }, deadline: Date.now() + deadlineMs });

describe('calls over the bus', () => {
  it('carries the principal and brings back the result', async () => {
    expect(await run('principal')).toEqual(principal);
    expect(await run('Zürich')).toBe('Zürich');
  });

  it('passes bytes and what travels beside them', async () => {
    const raw = await caller.request(echo.run as Operation, { principal, query: { what: 'stamp' } });
    expect(Buffer.from(raw.body as Uint8Array).toString()).toBe('{"a":1}');
    expect(raw.timestamp).toBe(5);
    expect(raw.warnings?.[0]?.code).toBe('SVL-0011');
  });

  it('rebuilds a catalogue error with its id', async () => {
    await expect(run('refuse')).rejects.toMatchObject({
      code: 'SES-0203',
      params: ['abc'],
      errorId: expect.any(String),
    });
  });

  it('hides an unexpected error behind the generic one; its id is known to the server', async () => {
    const error = await run('crash').catch((caught: unknown) => caught as { code: string; errorId: string });
    expect(error).toMatchObject({ code: 'SVL-0011' });
    expect(JSON.stringify(error)).not.toContain('secret');
    const outcome = outcomes.find(({ error: seen }) => seen?.errorId === (error as { errorId: string }).errorId);
    expect((outcome?.error?.details.cause as Error).message).toContain('db7');
  });

  it('answers at once when nobody serves the module', async () => {
    const nobody = defineModule('nobody', {
      run: internal({ access: OPEN, calledBy: 'everyService', doc: 'test', reply: value('anything') }),
    });
    const started = Date.now();
    await expect(caller.call(nobody.run, { principal })).rejects.toMatchObject({ code: 'SVL-0032' });
    expect(Date.now() - started).toBeLessThan(1000);
  });

  it('asks nobody inside a transaction, and tells nobody', async () => {
    const events = new EventBus(bus);
    setTransactionGuard(() => true);
    try {
      await expect(run('echo')).rejects.toThrow('inside a transaction');
      expect(() => events.broadcast('spec', {})).toThrow('broadcast spec inside a transaction');
    } finally {
      setTransactionGuard(() => false);
    }
  });

  it('gives up at the deadline and aborts the handler', async () => {
    const before = aborted;
    await expect(run('slow2000', 100)).rejects.toMatchObject({ code: 'SVL-0033' });
    await wait(50);
    expect(aborted).toBe(before + 1);
  });

  it('does not let the handler go on of a call that is taken back in the turn in which it was made', async () => {
    const taken = new AbortController();
    const before = { aborted, slow };
    const call = caller.call(echo.run, { principal, query: { what: 'slow500' }, signal: taken.signal });
    taken.abort();
    await expect(call).rejects.toMatchObject({ code: 'SVL-0033' });
    await wait(250);
    expect(slow - before.slow).toBe(aborted - before.aborted);
  });

  it('streams a result larger than a message', async () => {
    expect(((await run('large')) as string).length).toBe(3 * 1024 * 1024);
  });

  it.each(['endless', 'endless text'])(
    'stops an %s stream when the reader leaves, never far ahead of it',
    async (what) => {
      streamed = 0;
      const raw = await caller.request(echo.run as Operation, { principal, query: { what } });
      expect(raw.headers).toEqual(what === 'endless' ? undefined : { 'X-A': 'b' });
      let read = 0;
      for await (const _piece of raw.body as AsyncIterable<Uint8Array>) if ((read += 1) === 20) break;
      await wait(100);
      const sent = streamed;
      expect(sent).toBeLessThan(40);
      await wait(100);
      expect(streamed).toBe(sent);
    },
  );

  it('refuses a call that does not fit into a message', async () => {
    await expect(run('x'.repeat(2 * 1024 * 1024))).rejects.toMatchObject({ code: 'UPL-0005' });
  });

  it('refuses a call of which the server takes no message, and goes on with others of the same turn', async () => {
    const large = { ...principal, service: 'x'.repeat(bus.maxBodyBytes + 64 * 1024) };
    const refused = caller.call(echo.run, { principal: large, query: { what: 'principal' } });
    const others = caller.call(echo.run, { principal, query: { what: 'principal' } });
    await expect(refused).rejects.toMatchObject({ code: 'SVL-0032' });
    expect(await others).toEqual(principal);
  });

  it('loses no running call when a server closes under load', async () => {
    const second = await serve(bus);
    let stop = false;
    let answered = 0;
    const workers = Array.from({ length: 20 }, async () => {
      while (!stop) {
        expect(await run('slow40')).toBe('done');
        answered += 1;
      }
    });
    await wait(200);
    await second.close();
    expect(second.load).toBe(0);
    const before = answered;
    while (answered < before + 40) await wait(20);
    stop = true;
    await Promise.all(workers);
  });

  it('waits for a long call when it closes', async () => {
    await server.close();
    const alone = await serve(bus);
    const answer = run('slow400');
    await wait(100);
    await alone.close();
    expect(await answer).toBe('done');
    server = await serve(far);
  });
});

describe('calls whose effects are not in the database', () => {
  const outside = defineModule('outside', {
    append: internal({
      access: OPEN,
      calledBy: 'everyService',
      idempotency: 'claimed',
      doc: 'test',
      query: EchoQuery,
      reply: value<string>('the mail'),
    }),
  });
  let begun: string[];
  let ends: (() => void)[];
  let claims: Map<string, 'begun' | 'replyLost' | KeptReply>;
  let server: ModuleServer;

  beforeEach(async () => {
    [begun, ends, claims] = [[], [], new Map()];
    const store: ClaimStore = {
      claim: async ({ id }) => {
        const known = claims.get(id);
        if (!known) claims.set(id, 'begun');
        return known ?? 'mine';
      },
      keep: async ({ id }, reply) => void claims.set(id, reply ?? 'replyLost'),
      release: async ({ id }) => void claims.delete(id),
    };
    server = new ModuleServer({ bus, service: 'outside', operations: [outside.append] });
    server.useClaims(store);
    server.addHandler(outside.append.subject, (async ({ query: { what } }: { query: EchoQuery }) => {
      begun.push(what);
      if (what === 'slow') await new Promise<void>((resolve) => ends.push(resolve));
      if (what === 'refused') throw RequestErrors.badBodyData('x');
      if (what === 'lost') throw RequestErrors.unexpected();
      return `${what} ${begun.length}`;
    }) as MessageHandler);
    await new Promise((resolve) => server.listen(resolve));
  });
  afterEach(() => server.close());

  const append = (what: string, idempotencyKey?: string) =>
    caller.call(outside.append, { principal, query: { what }, ...(idempotencyKey ? { idempotencyKey } : {}) });

  it('are begun once for a key of the client, and answer the same again', async () => {
    expect(await append('mail', 'key')).toBe('mail 1');
    expect(await append('mail', 'key')).toBe('mail 1');
    expect(await append('mail', 'other key')).toBe('mail 2');
    expect(await append('mail')).toBe('mail 3');
    expect(await append('mail')).toBe('mail 4');
  });

  it('wait for the one with their key that is under way', async () => {
    const both = [append('slow', 'key'), append('slow', 'key')];
    await until(() => ends.length === 1, 2_000);
    await wait(150);
    ends[0]!();
    expect(await Promise.all(both)).toEqual(['slow 1', 'slow 1']);
  });

  it('begin anew after a refusal, and never again where they may have been done', async () => {
    for (const _time of [1, 2]) await expect(append('refused', 'key')).rejects.toMatchObject({ code: 'SVL-0031' });
    await expect(append('lost', 'key of another')).rejects.toMatchObject({ code: 'SVL-0011' });
    await expect(append('lost', 'key of another')).rejects.toMatchObject({ code: 'SVL-0035' });
    expect(begun).toEqual(['refused', 'refused', 'lost']);
  }, 10_000);

  it('keep what they did when their caller went away meanwhile', async () => {
    const gone = new AbortController();
    const first = caller.call(outside.append, {
      principal,
      query: { what: 'slow' },
      idempotencyKey: 'key',
      signal: gone.signal,
    });
    await until(() => ends.length === 1, 2_000);
    gone.abort();
    await expect(first).rejects.toMatchObject({ code: 'SVL-0033' });
    ends[0]!();
    expect(await append('slow', 'key')).toBe('slow 1');
  });
});

describe('a call that was done before, whose reply needs another service', () => {
  const keyed = defineModule('away', {
    write: internal({
      access: OPEN,
      calledBy: 'everyService',
      doc: 'test',
      query: EchoQuery,
      reply: value<string>('what was written'),
    }),
  });
  /** Failures of the handler to come. */
  let failures: CatalogueError[];
  let tries: number;
  let server: ModuleServer;

  beforeEach(async () => {
    [failures, tries] = [[], 0];
    const replies: ReplyStore = { find: async () => undefined, keep: async () => undefined, isDone: async () => true };
    server = new ModuleServer({ bus, service: 'away', operations: [keyed.write], replies });
    server.addHandler(keyed.write.subject, (async ({ query: { what } }: { query: EchoQuery }) => {
      tries += 1;
      const failure = failures.shift();
      if (failure) throw failure;
      return what;
    }) as MessageHandler);
    await new Promise((resolve) => server.listen(resolve));
  });
  afterEach(() => server.close());

  /** A call whose key the client chose may have been sent before. */
  const write = (deadline = Date.now() + 10_000) =>
    caller.call(keyed.write, { principal, query: { what: 'entry' }, idempotencyKey: 'key', deadline });

  it('waits until that is back', async () => {
    failures = [RequestErrors.serviceUnavailable('directory'), RequestErrors.serviceUnavailable('directory')];
    expect(await write()).toBe('entry');
    expect(tries).toBe(3);
  });

  it('says before its deadline that its reply is lost', async () => {
    failures = Array.from({ length: 100 }, () => RequestErrors.serviceUnavailable('directory'));
    await expect(write(Date.now() + 1_000)).rejects.toMatchObject({ code: 'SVL-0037' });
    expect(tries).toBeGreaterThan(1);
  });

  it('says at once that it is lost when something else fails', async () => {
    failures = [RequestErrors.badBodyData('x')];
    await expect(write()).rejects.toMatchObject({ code: 'SVL-0037' });
    expect(tries).toBe(1);
  });
});

describe('processes that fall silent', () => {
  const silent = defineModule('silent', {
    read: internal({
      access: OPEN,
      calledBy: 'everyService',
      doc: 'test',
      repeatable: true,
      query: EchoQuery,
      reply: value<string>('who answered'),
    }),
    write: internal({
      access: OPEN,
      calledBy: 'everyService',
      idempotency: 'none',
      doc: 'test',
      query: EchoQuery,
      reply: value<string>('who answered'),
    }),
    keyed: internal({
      access: OPEN,
      calledBy: 'everyService',
      doc: 'test',
      query: EchoQuery,
      reply: value<string>('who answered'),
    }),
  });
  const url = process.env.NATS_URL!;
  let links: BreakableLink[];
  let buses: Bus[];
  let servers: ModuleServer[];
  let begun: string[];

  /** Two processes of one service, each with a link of its own to the bus. */
  beforeEach(async () => {
    begun = [];
    links = [await BreakableLink.openTo(url), await BreakableLink.openTo(url)];
    buses = await Promise.all(links.map((link) => Bus.connect({ url: link.url(url), prefix })));
    servers = buses.map((each, index) => {
      const operations = [silent.read, silent.write, silent.keyed] as Operation[];
      let again = '';
      const within = <T>({ key }: CallLabels, run: () => T): T => {
        again = key?.isRepeat ? ' again' : '';
        return run();
      };
      const started = new ModuleServer({ bus: each, service: 'silent', operations, within });
      const answer = async ({ query: { what } }: { query: EchoQuery }) => {
        begun.push(`${what}${again} by ${index}`);
        if (what.startsWith('slow')) await wait(400);
        if (what === 'unknown' && begun.length < 3) throw RequestErrors.outcomeUnknown('silent');
        return `process ${index}`;
      };
      for (const { subject } of operations) started.addHandler(subject, answer as MessageHandler);
      return started;
    });
    await Promise.all(servers.map((each) => new Promise((resolve) => each.listen(resolve))));
  });
  afterEach(async () => {
    await Promise.all(servers.map((each) => each.leave()));
    await Promise.all(buses.map((each) => each.close()));
    await Promise.all(links.map((link) => link.close()));
  });

  /** A connection that is not read from, as one that fell silent. */
  const connectBare = (): Promise<NatsConnection> => {
    const { host, username, password } = new URL(url);
    return connect({ servers: host, user: username, pass: password });
  };
  const read = (what = 'quick') => caller.call(silent.read, { principal, query: { what } });
  const keyed = (what = 'quick') => caller.call(silent.keyed, { principal, query: { what } });
  const write = (what = 'quick') => caller.call(silent.write, { principal, query: { what } });

  it('get no calls any more, and those they got and did not begin are done by others, once', async () => {
    links[0]!.silence();
    const answers = await Promise.all(Array.from({ length: 40 }, (_each, index) => (index % 2 ? read() : write())));
    expect(new Set(answers)).toEqual(new Set(['process 1']));
    expect(begun).toHaveLength(40);
    // From here on no caller tries the silent one first.
    await until(() => bus.replicas.pick('silent') === buses[1]!.replica, 5_000);
    expect(await write()).toBe('process 1');
  }, 20_000);

  it('and come back, leave a member in the queue group that is avoided after the first call it swallows', async () => {
    let swallowed = 0;
    const old = await connectBare();
    const own = await Bus.connect({ url, prefix });
    const mine = new Caller(own);
    try {
      const heard = new Set<string>();
      own.connection.subscribe(own.subject('beat'), {
        callback: (_error, message) => heard.add(message.json<{ replica: string }>().replica),
      });
      await until(() => buses.every(({ replica }) => heard.has(replica)), 5_000);
      old.subscribe(bus.subject(silent.read.subject), { queue: 'silent', callback: () => void (swallowed += 1) });
      old.subscribe(bus.subject('ping.silent'), { queue: 'silent' });
      await old.flush();
      for (let call = 0; call < 60; call++) await mine.call(silent.read, { principal, query: { what: 'quick' } });
      expect(swallowed).toBe(1);
      await Promise.all(Array.from({ length: 10 }, () => own.ping('silent', 300)));
    } finally {
      await Promise.all([old.close(), own.close()]);
    }
  }, 20_000);

  it('leave a read to others, and of a write only that it may have been done', async () => {
    await servers[1]!.leave();
    const answers = [read('slow'), write('slow')];
    await until(() => begun.length === 2, 2_000);
    await wait(250);
    links[0]!.silence();
    await servers[1]!.join();
    const [first, second] = await Promise.allSettled(answers);
    expect(first).toEqual({ status: 'fulfilled', value: 'process 1' });
    expect(second).toMatchObject({ reason: { code: 'SVL-0035' } });
  }, 20_000);

  it('leave a write with a key to others, too, which learn that it may have been done', async () => {
    await servers[1]!.leave();
    const answer = keyed('slow');
    await until(() => begun.length === 1, 2_000);
    await wait(250);
    links[0]!.silence();
    await servers[1]!.join();
    expect(await answer).toBe('process 1');
    expect(begun).toEqual(['slow by 0', 'slow again by 1']);
  }, 20_000);

  it('may have begun a write with a key before they said so: whoever gets it next learns that', async () => {
    await Promise.all(servers.map((each) => each.leave()));
    const mute = await connectBare();
    let isGone = false;
    mute.subscribe(bus.subject(silent.keyed.subject), {
      queue: 'silent',
      callback: () => {
        if (!isGone) return;
        void servers[0]!.join();
        void mute.close();
      },
    });
    await mute.flush();
    try {
      const late = caller.call(silent.keyed, { principal, query: { what: 'quick' }, deadline: Date.now() + 800 });
      await expect(late).rejects.toMatchObject({ code: 'SVL-0035' });
      isGone = true;
      expect(await keyed()).toBe('process 0');
      expect(begun).toEqual(['quick again by 0']);
    } finally {
      await mute.close();
    }
  }, 20_000);

  it('begin a write with a key without a question, and once more when its outcome is not known', async () => {
    await servers[1]!.leave();
    expect(await keyed('unknown')).toBe('process 0');
    expect(begun).toEqual(['unknown by 0', 'unknown again by 0', 'unknown again by 0']);
    begun.length = 0;
    // At the deadline the outcome is unknown.
    const late = caller.call(silent.keyed, { principal, query: { what: 'unknown' }, deadline: Date.now() + 150 });
    await expect(late).rejects.toMatchObject({ code: 'SVL-0035' });
    expect(begun).toEqual(['unknown by 0']);
  });

  it('begin no write that its caller took back', async () => {
    await servers[1]!.leave();
    expect(await write('wanted')).toBe('process 0');
    buses[0]!.publish(buses[0]!.subject(silent.write.subject), Buffer.from('{"query":{"what":"unwanted"}}'), {
      reply: bus.subject('nobody'),
    });
    await write('wanted as well');
    expect(begun).toEqual(['wanted by 0', 'wanted as well by 0']);
  }, 20_000);

  it('are not full with calls that their callers took back', async () => {
    const [only] = buses;
    const narrow = defineModule('narrow', {
      write: internal({
        access: OPEN,
        calledBy: 'everyService',
        doc: 'test',
        idempotency: 'none',
        reply: value<string>('done'),
      }),
    });
    const started = new ModuleServer({ bus: only!, service: 'narrow', operations: [narrow.write], maxRunning: 1 });
    started.addHandler(narrow.write.subject, async () => 'done');
    await new Promise((resolve) => started.listen(resolve));
    const { subject, dispose } = bus.listen('narrow', () => undefined);
    bus.publish(bus.subject(narrow.write.subject), undefined, { reply: subject });
    await until(() => started.load === 1, 2_000);
    bus.hint(bus.subject('cancel'), subject);
    expect(await caller.call(narrow.write, { principal })).toBe('done');
    dispose();
    await started.close();
  });

  it('take no calls while they are not ready, and take them again', async () => {
    await servers[0]!.leave();
    expect(await Promise.all(Array.from({ length: 10 }, () => read()))).toEqual(Array(10).fill('process 1'));
    await servers[1]!.leave();
    await expect(read()).rejects.toMatchObject({ code: 'SVL-0032' });
    await servers[0]!.join();
    expect(await read()).toBe('process 0');
  });

  it('take no calls by name, either, while they are not ready', async () => {
    const subject = bus.subject(directSubject(buses[0]!.replica, 'silent', silent.read.subject));
    await servers[0]!.leave();
    await expect(bus.connection.request(subject, '{}', { timeout: 5_000 })).rejects.toMatchObject({ code: '503' });
    expect(begun).toEqual([]);
  });

  it('tell at once that a write may have been done when the bus is lost; a read comes back with the bus', async () => {
    const link = await BreakableLink.openTo(url);
    const own = await Bus.connect({ url: link.url(url), prefix });
    const mine = new Caller(own);
    await servers[1]!.leave();
    const reading = mine.call(silent.read, { principal, query: { what: 'slow' } });
    const writing = mine.call(silent.write, { principal, query: { what: 'slow' } });
    const outcomes = Promise.allSettled([reading, writing]);
    await until(() => begun.length === 2, 2_000);
    await link.break(100);
    expect(await outcomes).toMatchObject([{ value: 'process 0' }, { reason: { code: 'SVL-0035' } }]);
    await own.close();
    await link.close();
  }, 20_000);
});

describe('events', () => {
  const message = (id: string, name = 'echo.happened'): EventMessage => ({
    id,
    name,
    contextId: 1,
    occurredAt: 0,
    payload: { id },
  });

  it('arrive at least once, duplicates are removed, failures come again', async () => {
    const events = new EventBus(bus);
    await Promise.all([events.open(), new EventBus(far).open()]);
    await events.publish(message('a'));
    await events.publish(message('a'));
    await events.publish(message('b'));
    const seen: string[] = [];
    let failed = false;
    await events.subscribe('listener', { name: 'echo.happened' }, async ({ id }) => {
      if (id === 'b' && !failed) {
        failed = true;
        throw new Error('not yet');
      }
      seen.push(id);
    });
    for (let tries = 0; seen.length < 2 && tries < 100; tries += 1) await wait(50);
    expect(seen).toEqual(['a', 'b']);
    await events.close();
    const manager = await bus.connection.jetstreamManager();
    await manager.streams.delete(`${prefix}-events`);
  });

  it('of one context come in order and together, those of others at the same time; a bad one holds up no other', async () => {
    const events = new EventBus(bus, () => undefined, { ...DEFAULT_EVENT_STREAM, replicas: 1 });
    await events.open();
    const others: string[] = [];
    // The service consumed one of the names by itself before: what it has dealt with does not come again.
    const former = await events.subscribe('lanes', { name: 'echo.one' }, async ({ id }) => void others.push(id));
    await events.publish({ ...message('before'), name: 'echo.one' });
    for (let tries = 0; others.length < 1 && tries < 100; tries += 1) await wait(20);
    await former.stop();

    const batches: { context: number; ids: string[] }[] = [];
    let failures = 0;
    await events.subscribeBatches({
      service: 'lanes',
      consumer: 'Both',
      events: ['echo.one', 'echo.two'],
      lanes: 2,
      batchSize: 10,
      handle: async (messages) => {
        if (messages.some(({ id }) => id === 'bad') && failures++ < 2) throw new Error('not yet');
        batches.push({ context: messages[0]!.contextId, ids: messages.map(({ id }) => id) });
        await wait(1);
      },
    });
    const ids = Array.from({ length: 60 }, (_, index) => `n${index}`);
    const sent = ids.map((id, index) => ({
      ...message(id),
      name: index % 2 ? 'echo.one' : 'echo.two',
      contextId: 1 + (index % 3),
    }));
    for (const each of sent) await events.publish(each);
    await events.publish({ ...message('other'), name: 'echo.other' });
    await events.publish({ ...message('bad'), name: 'echo.two', contextId: 9 });
    await events.publish({ ...message('good'), name: 'echo.two', contextId: 9 });
    const seen = () => batches.flatMap((batch) => batch.ids);
    for (let tries = 0; seen().length < 62 && tries < 200; tries += 1) await wait(20);
    for (const context of [1, 2, 3])
      expect(batches.filter((batch) => batch.context === context).flatMap((batch) => batch.ids)).toEqual(
        sent.filter(({ contextId }) => contextId === context).map(({ id }) => id),
      );
    expect(seen().sort()).toEqual([...ids, 'bad', 'good'].sort());
    await events.close();
    expect(await events.backlog('lanes')).toMatchObject({ Both: 0 });
    await (await bus.connection.jetstreamManager()).streams.delete(`${prefix}-events`);
  });

  it('have a stream that is made anew when it is lost, and noticed by all when it went back', async () => {
    const problems: string[] = [];
    const settings = { ...DEFAULT_EVENT_STREAM, checkMs: 50 };
    const [here, there] = [bus, far].map((on) => new EventBus(on, (_problem, what) => problems.push(what), settings));
    await here!.open();
    await there!.open();
    const first = here!.generation;
    expect(there!.generation).toEqual(first);
    const seen: string[] = [];
    await there!.subscribe('survivor', { name: 'echo.happened' }, async ({ id }) => void seen.push(id));
    expect(await here!.publish(message('x'))).toEqual({ generation: first.id, seq: 1 });

    const manager = await bus.connection.jetstreamManager();
    const generations: StreamGeneration[] = [];
    here!.onGeneration((generation) => generations.push(generation));
    await manager.streams.delete(`${prefix}-events`);
    for (let tries = 0; generations.length < 1 && tries < 100; tries += 1) await wait(20);
    expect(generations[0]!.id).not.toBe(first.id);
    await here!.publish(message('y'));
    for (let tries = 0; !seen.includes('y') && tries < 200; tries += 1) await wait(20);
    expect(seen).toEqual(['x', 'y']);

    // A process got a confirmation that the stream does not know: it came back from a backup.
    const { id } = here!.generation;
    await there!.rememberReceipt({ generation: id, seq: 100 });
    for (let tries = 0; generations.length < 2 && tries < 100; tries += 1) await wait(20);
    expect(there!.generation).toEqual({ id: expect.not.stringMatching(id), kept: { id, lastSeq: 1 } });
    expect(here!.generation).toEqual(there!.generation);
    expect(problems).toContain('the stream of events is a new one');
    expect(problems).toContain('the stream of events came back older than it was');
    await Promise.all([here!.close(), there!.close()]);
    await manager.streams.delete(`${prefix}-events`);
  });

  it('are stored as the settings say, also where the stream exists', async () => {
    const info = async () => (await bus.connection.jetstreamManager()).streams.info(`${prefix}-events`);
    await new EventBus(bus).open();
    const changed = { ...DEFAULT_EVENT_STREAM, maxBytes: 10_000_000, maxAgeMs: 3_600_000, discard: 'new' as const };
    const events = new EventBus(bus, () => undefined, changed);
    await events.open();
    expect((await info()).config).toMatchObject({ max_bytes: 10_000_000, max_age: 3.6e12, discard: 'new' });
    await events.close();
    await (await bus.connection.jetstreamManager()).streams.delete(`${prefix}-events`);
  });

  it('broadcasts reach every process', async () => {
    const seen: number[] = [];
    new EventBus(far).onBroadcast<{ n: number }>('cache', ({ n }) => seen.push(n));
    await far.flush();
    new EventBus(bus).broadcast('cache', { n: 3 });
    for (let tries = 0; seen.length === 0 && tries < 100; tries += 1) await wait(10);
    expect(seen).toEqual([3]);
  });
});
