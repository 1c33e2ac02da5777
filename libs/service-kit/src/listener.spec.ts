import { once } from 'node:events';
import net from 'node:net';
import { ListenerSettings } from './config/listener-settings';
import { createBareExpress, openListener, type Listener, type ListenerOptions } from './listener';
import { setLogDestination } from './log/logger';

setLogDestination({ write: () => undefined });

const open: Listener[] = [];
const sockets: net.Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map((each) => each.close()));
});

function createEcho(): ListenerOptions['instance'] {
  const instance = createBareExpress();
  instance.get('/large', (_request, response) => void response.end(Buffer.alloc(32 * 1024 * 1024)));
  instance.use((request, response) => {
    request.resume().on('end', () => response.end(`${request.method} ${request.url} ${request.headers.host}`));
  });
  return instance;
}

/** Answers that hold the event loop for a while, ms. */
function slowly(ms: number): ListenerOptions['instance'] {
  const instance = createBareExpress();
  instance.use((request, response) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
    response.end(request.url);
  });
  return instance;
}

async function start(
  limits: Partial<ListenerSettings> = {},
  isProxy = false,
  takeUpgrade?: ListenerOptions['takeUpgrade'],
  instance = createEcho(),
): Promise<Listener> {
  const listener = await openListener({
    name: 'spec',
    instance,
    port: 0,
    host: '127.0.0.1',
    portName: 'PORT',
    limits: Object.assign(new ListenerSettings(), limits),
    isProxy: () => isProxy,
    ...(takeUpgrade ? { takeUpgrade } : {}),
  });
  open.push(listener);
  return listener;
}

/** A connection, and all that came on it until it was closed. */
async function connect({ url }: Listener, text = ''): Promise<{ socket: net.Socket; closed: Promise<string> }> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ port: Number(port), host: hostname });
  sockets.push(socket);
  let received = '';
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  socket.on('data', (data) => (received += data.toString('latin1'))).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return { socket, closed };
}

const ask = async (listener: Listener, text: string): Promise<string> => (await connect(listener, text)).closed;
const END = 'Connection: close\r\n\r\n';

describe('a listener', () => {
  it.each([
    ['two hosts', `GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n${END}`, 400, 'several Host headers'],
    ['a host with a path', `GET / HTTP/1.1\r\nHost: a/b\r\n${END}`, 400, 'the Host header is malformed'],
    [
      'a transfer coding it does not know',
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n${END}`,
      501,
      'not chunked',
    ],
    [
      'chunks of HTTP/1.0',
      `POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'HTTP/1.1',
    ],
    ['TRACE', `TRACE / HTTP/1.1\r\nHost: a\r\n${END}`, 405, 'TRACE'],
    ['a target that is no path', `OPTIONS * HTTP/1.1\r\nHost: a\r\n${END}`, 400, 'no path'],
    ['a target of another protocol', `GET ftp://a/b HTTP/1.1\r\nHost: a\r\n${END}`, 400, 'no path'],
    ['too many headers', `GET / HTTP/1.1\r\nHost: a\r\n${'A: b\r\n'.repeat(100)}${END}`, 431, 'more than 100 headers'],
  ])('refuses %s with a code, and closes the connection', async (_what, text, status, reason) => {
    const answer = await ask(await start(), text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, unknown>;
    expect(body).toMatchObject({ code: 'SVL-0020', error_id: expect.stringMatching(/./) });
    expect(body.error_desc).toContain(reason);
  });

  it.each([
    ['no host', `GET / HTTP/1.1\r\n${END}`, 400],
    [
      'both lengths',
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG`,
      400,
    ],
    ['two lengths', `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
    ['a signed length', `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na`, 400],
    ['a blank before the colon', `GET / HTTP/1.1\r\nHost : a\r\n${END}`, 400],
    ['a line that is folded', `GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n c\r\n${END}`, 400],
    ['a bare line feed', `GET / HTTP/1.1\nHost: a\n\n`, 400],
    ['a control character in the path', `GET /a\u0001 HTTP/1.1\r\nHost: a\r\n${END}`, 400],
    ['a NUL in a header', `GET / HTTP/1.1\r\nHost: a\r\nA: \0\r\n${END}`, 400],
    ['a head that is too large', `GET / HTTP/1.1\r\nHost: a\r\nA: ${'b'.repeat(17_000)}\r\n${END}`, 431],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 405],
  ])('refuses %s', async (_what, text, status) => {
    expect(await ask(await start(), text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*Connection: close`));
  });

  it('lets a client finish sending a head that is too large, so that it can read why', async () => {
    const { socket, closed } = await connect(await start(), `GET /?q=${'b'.repeat(17_000)}`);
    let problem: Error | undefined;
    socket.on('error', (error) => (problem = error));
    await once(socket, 'data');
    for (let count = 0; count < 4; count++)
      await new Promise((resolve) => socket.write('b'.repeat(64 * 1024), resolve));
    socket.end(` HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(JSON.parse((await closed).split('\r\n\r\n')[1]!)).toMatchObject({ code: 'SVL-0020' });
    expect(problem).toBeUndefined();
  });

  it('reads on for a client that never stops sending within limits', async () => {
    const { socket, closed } = await connect(await start(), `GET /?q=${'b'.repeat(17_000)}`);
    const send = (): boolean => socket.write('b'.repeat(64 * 1024), (error) => error ?? send());
    send();
    expect(await closed).toMatch(/^HTTP\/1\.1 431 /);
    expect(socket.bytesWritten).toBeLessThan(64 * 1024 * 1024);
  });

  it('gives up a chunk without a number', async () => {
    const answer = await ask(
      await start(),
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n',
    );
    expect(answer).not.toContain('POST /');
  });

  it('takes a target in absolute form for its path and its host', async () => {
    const listener = await start();
    expect(await ask(listener, `GET http://b.example:81/c?d=1 HTTP/1.1\r\nHost: a\r\n${END}`)).toContain(
      'GET /c?d=1 b.example:81',
    );
    expect(await ask(listener, `GET http://b.example?d HTTP/1.1\r\nHost: a\r\n${END}`)).toContain('GET /?d b.example');
    expect(await ask(listener, 'GET /old HTTP/1.0\r\n\r\n')).toContain('GET /old');
  });

  it('ends heads, bodies and answers that do not go on, and serves others meanwhile', async () => {
    const listener = await start({ headersTimeoutMs: 400, stallMs: 400 });
    const slow = await Promise.all([
      connect(listener, 'GET /'),
      connect(listener, 'GET / HTTP/1.1\r\nHost: a\r\nA: '),
      connect(listener, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc'),
      connect(listener, 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n'),
    ]);
    const reader = await connect(listener);
    reader.socket.pause();
    reader.socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
    const drips = setInterval(() => slow.forEach(({ socket }) => socket.write('1')), 50);
    try {
      expect(await (await fetch(listener.url)).text()).toContain('GET /');
      const ended = await Promise.all(slow.map(({ closed }) => closed));
      expect(ended[0]).toContain('408');
      expect(ended[1]).toContain('408');
      // The server ended it: nothing more comes than what the system had taken over.
      reader.socket.resume();
      expect((await reader.closed).length).toBeLessThan(32 * 1024 * 1024);
    } finally {
      clearInterval(drips);
    }
  });

  it('lets a client be slow for which it works itself', async () => {
    const instance = createBareExpress();
    instance.use((_request, response) => void setTimeout(() => response.end('done'), 600));
    const limits = Object.assign(new ListenerSettings(), { stallMs: 100, headersTimeoutMs: 100 });
    const listener = await openListener({
      name: 'spec',
      instance,
      port: 0,
      host: '127.0.0.1',
      portName: 'PORT',
      limits,
      isProxy: () => false,
    });
    open.push(listener);
    expect(await (await fetch(listener.url)).text()).toBe('done');
  });

  it('closes the connection that waits longest for a new one, and refuses new ones where all are used', async () => {
    const listener = await start({ maxConnectionsPerAddress: 3 });
    const idle = [await connect(listener), await connect(listener, 'GET / HT'), await connect(listener)];
    expect(await ask(listener, `GET /new HTTP/1.1\r\nHost: a\r\n${END}`)).toContain('GET /new');
    await idle[0]!.closed;
    const busy = await Promise.all(
      [1, 2, 3].map(() => connect(listener, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc')),
    );
    await Promise.all(idle.map(({ closed }) => closed));
    expect(await ask(listener, `GET /none HTTP/1.1\r\nHost: a\r\n${END}`)).toBe('');
    for (const { socket } of busy) socket.write('defghi');
    await Promise.all(busy.map(({ socket }) => once(socket, 'data')));
    expect(await ask(listener, `GET /again HTTP/1.1\r\nHost: a\r\n${END}`)).toContain('GET /again');
  });

  it('answers requests that ask for another protocol as any other, where nobody speaks one', async () => {
    const listener = await start();
    const upgrade = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n';
    expect(await ask(listener, `GET /other HTTP/1.1\r\nHost: a\r\n${upgrade}`)).toContain('GET /other');
    expect(await ask(listener, `POST /other HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n${upgrade}abc`)).toContain(
      'POST',
    );
  });

  it.each([
    ['asks for a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', '405'],
    [
      'asks for another protocol in an ambiguous request',
      'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      '400',
    ],
  ])('closes its end when a client that keeps its own open %s', async (_what, text, status) => {
    const { hostname, port } = new URL((await start({}, false, () => undefined)).url);
    const socket = net.connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    sockets.push(socket);
    const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    socket.write(text);
    expect(String((await once(socket, 'data'))[0])).toContain(`HTTP/1.1 ${status}`);
    await once(socket, 'end');
    // Data for a connection that is gone are answered with a reset.
    const writes = setInterval(() => socket.write('x'), 5);
    await closed;
    clearInterval(writes);
  });

  it('works on the requests of a connection one after the other, and answers all', async () => {
    let running = 0;
    let most = 0;
    const instance = createBareExpress();
    instance.use((request, response) => {
      most = Math.max(most, (running += 1));
      request.resume().on('end', () =>
        setImmediate(() => {
          running -= 1;
          response.end(request.url);
        }),
      );
    });
    const listener = await start({}, false, undefined, instance);
    const count = 500;
    const requests = Array.from({ length: count }, (_none, index) => {
      const last = index === count - 1 ? 'Connection: close\r\n' : '';
      return `POST /n${index}. HTTP/1.1\r\nHost: a\r\n${last}Content-Length: 3\r\n\r\nabc`;
    });
    const text = await ask(listener, requests.join(''));
    expect([...text.matchAll(/\/n(\d+)\./g)].map(([, number]) => Number(number))).toEqual(
      requests.map((_text, index) => index),
    );
    expect(most).toBe(1);
  });

  it('gives others their turn between the requests of a connection', async () => {
    const listener = await start({}, false, undefined, slowly(1));
    const { closed } = await connect(
      listener,
      `${'GET /many HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(900)}GET / HTTP/1.1\r\nHost: a\r\n${END}`,
    );
    const others = await Promise.all([1, 2, 3].map(() => ask(listener, `GET /other HTTP/1.1\r\nHost: a\r\n${END}`)));
    expect(others).toEqual(others.map(() => expect.stringContaining('/other')));
    let isOver = false;
    void closed.then(() => (isOver = true));
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    await closed;
  });

  it('closes a connection that sends more requests than may wait', async () => {
    const listener = await start({ maxPipelined: 50 }, false, undefined, slowly(0));
    const text = await ask(listener, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200));
    expect(text.split('HTTP/1.1 200').length).toBeLessThan(50);
  });

  it('has a limit for all, and none of one address for proxies', async () => {
    const behindProxy = await start({ maxConnectionsPerAddress: 1, maxConnections: 2 }, true);
    const first = await connect(behindProxy);
    await connect(behindProxy);
    expect(await ask(behindProxy, `GET /new HTTP/1.1\r\nHost: a\r\n${END}`)).toContain('GET /new');
    await first.closed;
  });

  it('says with every answer that the connection ends, once it drains', async () => {
    const listener = await start();
    const { socket, closed } = await connect(listener, 'GET /1 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(String((await once(socket, 'data'))[0])).toContain('Connection: keep-alive');
    listener.drain();
    socket.write('GET /2 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await closed).toMatch(/Connection: close[^]*GET \/2/);
    expect(await ask(listener, 'GET /3 HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/Connection: close[^]*GET \/3/);
  });
});
