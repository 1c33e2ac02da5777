import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setTransactionGuard } from '@groupware/contracts';
import { recordingConnector, startNameServer, type NameServer } from '@groupware/test-kit';
import { readHost } from './host-name';
import { OutboundFailure } from './outbound-failure';
import { OutboundGuard, type OutboundTarget } from './outbound-guard';
import { OutboundSettings } from './outbound-settings';
import { PortList } from './ports';
import { WebClient } from './web-client';

const STEP_MS = 60;
const settingsOf = (changes: Partial<OutboundSettings> = {}) =>
  Object.assign(new OutboundSettings(), { failureStepMs: STEP_MS, timeoutMs: 500, ...changes });
const target = (host: string, port = 993): OutboundTarget => ({
  host,
  port,
  purpose: 'test',
  ports: new PortList(['80', '443', '993']),
});
const nobody = { addresses: async () => [], services: async () => [], exchanges: async () => [] };
const failureOf = async (work: Promise<unknown>): Promise<OutboundFailure> => {
  const error: unknown = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(OutboundFailure);
  return error as OutboundFailure;
};

/** Every way to write an IPv4 address that some program understands. */
function notationsOf(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const hex = (value: number) => `0x${value.toString(16)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  const words = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const turned = `${(0xffff ^ ((a << 8) | b)).toString(16)}:${(0xffff ^ ((c << 8) | d)).toString(16)}`;
  const circled = (digit: string) => String.fromCharCode(digit === '0' ? 0x24ea : 0x245f + Number(digit));
  return [
    ` ${address} `,
    `${hex(number).toUpperCase()}.`,
    [a, b, c, d].map((value) => `000${octal(value)}`).join('.'),
    String(number + 2 ** 32),
    `-${2 ** 32 - number}`,
    `example.org@${address}`,
    `${address}#.example.org`,
    `${address}:80`,
    address.replaceAll('.', '．'),
    address.replaceAll('.', '｡'),
    address.replace('.', '.\u00ad'),
    address.replaceAll(/\d/g, circled),
    address.replaceAll('.', '%2e'),
    `[0:0:0:0:0:ffff:${words}]`,
    `[::ffff:0:${words}]`,
    `64:ff9b:1::${words}`,
    `2001:0:808:808:0:0:${turned}`,
    `2a00:1450::200:5efe:${words}`,
    `[::ffff:${address}%25lo]`,
    address,
    `${address}.`,
    String(number),
    hex(number),
    octal(number),
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map(octal).join('.'),
    `${a}.${number & 0xffffff}`,
    `${a}.${b}.${number & 0xffff}`,
    `${hex(a)}.${octal(b)}.${number & 0xffff}`,
    address.replaceAll('.', '。'),
    [...address].map((char) => (/\d/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char)).join(''),
    `[::ffff:${address}]`,
    `::ffff:${words}`,
    `[::${words}]`,
    `64:ff9b::${words}`,
    `[2002:${words}::1]`,
    `2001:0:${words}::`,
    `2a00:1450::5efe:${words}`,
  ];
}

describe('host names', () => {
  it.each([
    ['Mail.Example.ORG.', 'mail.example.org', false],
    ['bücher.example', 'xn--bcher-kva.example', false],
    ['0x7f.1', '127.0.0.1', true],
    ['[2606:4700::1111]', '2606:4700::1111', true],
    ['::ffff:8.8.8.8', '8.8.8.8', true],
    ['_imaps._tcp.example.org', '_imaps._tcp.example.org', false],
  ])('%s is read as %s', (text, host, isAddress) => expect(readHost(text)).toEqual({ host, isAddress }));

  it.each([
    '',
    ' ',
    'a b',
    'a/b',
    'user@host',
    'host?x',
    'fe80::1%eth0',
    '1.2.3.4.5',
    'a..b',
    '%31',
    `${'a'.repeat(64)}.de`,
  ])('%p is none', (text) => expect(readHost(text)).toBeUndefined());
});

describe('the outbound guard', () => {
  const connector = recordingConnector();
  beforeEach(() => connector.wanted.splice(0));

  it.each([...notationsOf('127.0.0.1'), ...notationsOf('169.254.169.254')])('refuses %s', async (host) => {
    const guard = new OutboundGuard(settingsOf(), { connector, resolver: nobody });
    const failure = await failureOf(guard.connect(target(host)));
    expect(failure.message).toBe('The host is not reachable.');
    const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/latest/meta-data`;
    await failureOf(new WebClient(guard).fetch({ url, purpose: 'test', allowPlain: true }));
    expect(connector.wanted).toEqual([]);
  });

  it('connects to the address that was checked, and asks once', async () => {
    let asked = 0;
    const resolver = { ...nobody, addresses: async () => (asked++ === 0 ? ['93.184.216.34'] : ['127.0.0.1']) };
    const guard = new OutboundGuard(settingsOf(), { connector, resolver });
    await failureOf(guard.connect(target('rebinding.test')));
    expect([connector.wanted, asked]).toEqual([['93.184.216.34:993'], 1]);
    await failureOf(guard.connect(target('rebinding.test')));
    expect(connector.wanted).toEqual(['93.184.216.34:993']);
  });

  it('refuses a name that mixes public and private addresses', async () => {
    const resolver = { ...nobody, addresses: async () => ['93.184.216.34', '10.0.0.1'] };
    await failureOf(new OutboundGuard(settingsOf(), { connector, resolver }).connect(target('mixed.test')));
    expect(connector.wanted).toEqual([]);
  });

  it('refuses metadata services also where all ranges are allowed', async () => {
    const answers: Record<string, string[]> = {
      'metadata.google.internal': ['169.254.169.254'],
      'mixed.test': ['10.0.0.1', 'fd00:ec2::254'],
    };
    let asked = 0;
    const addresses = async (name: string) => answers[name] ?? [asked++ === 0 ? '10.0.0.1' : '100.100.100.200'];
    const settings = settingsOf({ allow: ['0.0.0.0/0', '::/0'], failureStepMs: 0 });
    const guard = new OutboundGuard(settings, { connector, resolver: { ...nobody, addresses } });
    const direct = notationsOf('169.254.169.254').filter((host) => readHost(host)?.isAddress);
    expect(direct.length).toBeGreaterThan(20);
    for (const host of [...direct, 'metadata.google.internal', 'mixed.test'])
      expect([host, (await failureOf(guard.connect(target(host)))).reason]).toEqual([host, 'forbidden-address']);
    expect(connector.wanted).toEqual([]);
    expect((await failureOf(guard.connect(target('rebinding.test')))).reason).toBe('unreachable');
    expect((await failureOf(guard.connect(target('rebinding.test')))).reason).toBe('forbidden-address');
    expect(connector.wanted).toEqual(['10.0.0.1:993']);
  });

  it.each([0, -1, 22, 6379, 5432, 65_536, 1.5, NaN])('refuses port %p before it asks a name server', async (port) => {
    const resolver = { ...nobody, addresses: jest.fn(async () => ['93.184.216.34']) };
    const guard = new OutboundGuard(settingsOf(), { connector, resolver });
    await failureOf(guard.connect(target('example.test', port)));
    expect([connector.wanted, resolver.addresses.mock.calls]).toEqual([[], []]);
  });

  it('gives all network causes one text and one time', async () => {
    const addresses = async (name: string) =>
      ({ 'private.test': ['10.0.0.1'], 'closed.test': ['93.184.216.34'] })[name] ?? [];
    const guard = new OutboundGuard(settingsOf(), { connector, resolver: { ...nobody, addresses } });
    const times: number[] = [];
    const texts = new Set<string>();
    const targets = [target('private.test'), target('closed.test'), target('nowhere.test'), target('a b')];
    for (const wanted of [...targets, target('closed.test', 22), target('127.0.0.1')]) {
      const start = performance.now();
      texts.add(String(await failureOf(guard.connect(wanted))));
      times.push(performance.now() - start);
    }
    expect(texts).toEqual(new Set(['OutboundFailure: The host is not reachable.']));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(STEP_MS - 2);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(STEP_MS);
  });

  it('tries further addresses, and no more than four', async () => {
    const six = ['93.184.216.1', '93.184.216.2', '93.184.216.3', '93.184.216.4', '93.184.216.5', '93.184.216.6'];
    const resolver = { ...nobody, addresses: async () => six };
    await failureOf(new OutboundGuard(settingsOf(), { connector, resolver }).connect(target('many.test')));
    expect(connector.wanted).toEqual(six.slice(0, 4).map((address) => `${address}:993`));
  });

  it('connects to nobody inside a transaction', () => {
    setTransactionGuard(() => true);
    try {
      const guard = new OutboundGuard(settingsOf(), { connector, resolver: nobody });
      expect(() => guard.connect(target('example.org'))).toThrow('outbound connection inside a transaction');
    } finally {
      setTransactionGuard(() => false);
    }
  });

  it('counts the attempts of a user', async () => {
    const guard = new OutboundGuard(settingsOf({ perMinute: 2, failureStepMs: 0 }), { connector, resolver: nobody });
    const reasons: string[] = [];
    for (let attempt = 0; attempt < 3; attempt++)
      reasons.push((await failureOf(guard.connect({ ...target('10.0.0.1'), onBehalfOf: '1:3' }))).reason);
    expect(reasons).toEqual(['forbidden-address', 'forbidden-address', 'too-many-attempts']);
    expect((await failureOf(guard.connect({ ...target('10.0.0.1'), onBehalfOf: '1:4' }))).reason).toBe(
      'forbidden-address',
    );
  });
});

describe('the outbound guard with real sockets on loopback', () => {
  let names: NameServer;
  const closers: (() => unknown)[] = [];
  const listen = async (onSocket: (socket: net.Socket) => void): Promise<number> => {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined);
      closers.push(() => socket.destroy());
      onSocket(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close());
    return (server.address() as AddressInfo).port;
  };
  const guardFor = (changes: Partial<OutboundSettings> = {}) =>
    new OutboundGuard(
      settingsOf({
        allow: ['127.0.0.1'],
        webPorts: ['1-65535'],
        dnsServers: [names.address],
        // Only those that shall run into it do, however busy the machine is.
        timeoutMs: 10_000,
        ...changes,
      }),
    );

  beforeAll(async () => {
    names = await startNameServer({ 'web.test': { a: ['127.0.0.1'] } });
    closers.push(() => names.close());
  });
  afterAll(() => Promise.all(closers.map((close) => close())));

  it('asks the configured name servers and connects', async () => {
    const port = await listen((socket) => socket.end('hello'));
    const socket = await guardFor().connect({ ...target('web.test', port), ports: new PortList([String(port)]) });
    const [data] = await new Promise<Buffer[]>((resolve) => socket.once('data', (...args) => resolve(args)));
    socket.destroy();
    expect(String(data)).toBe('hello');
    expect(names.questions).toContain('A web.test');
  });

  it('ends an attempt at its deadline when nobody speaks TLS', async () => {
    const port = await listen(() => undefined);
    const start = performance.now();
    const failure = await failureOf(
      guardFor({ timeoutMs: 200 }).connectTls({ ...target('web.test', port), ports: new PortList([String(port)]) }),
    );
    expect(failure.reason).toBe('timeout');
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('follows redirects to where it may go, without the credentials of the first host', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push([request.url, request.headers.authorization]);
      if (request.url === '/start') response.writeHead(302, { location: `http://web.test:${port}/end` }).end();
      else response.end('arrived');
    }).listen(0, '127.0.0.1');
    closers.push(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const answer = await new WebClient(guardFor()).fetch({
      url: `http://127.0.0.1:${port}/start`,
      headers: { Authorization: 'Basic abc' },
      purpose: 'test',
      allowPlain: true,
    });
    expect([answer.status, String(answer.body), answer.url]).toEqual([200, 'arrived', `http://web.test:${port}/end`]);
    expect(seen).toEqual([
      ['/start', 'Basic abc'],
      ['/end', undefined],
    ]);
  });

  it.each([
    ['http://169.254.169.254/', 'forbidden-address'],
    ['http://100.100.100.200/', 'forbidden-address'],
    ['http://[::1]/', 'forbidden-address'],
    ['http://0x7f.0.0.2/', 'forbidden-address'],
    ['file:///etc/passwd', 'bad-url'],
    ['gopher://web.test/', 'bad-url'],
    ['http://user:pass@web.test/', 'bad-url'],
    ['/again', 'too-many-redirects'],
  ])('does not follow a redirect to %s', async (location, reason) => {
    const port = await listen((socket) =>
      socket.once('data', () => socket.end(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`)),
    );
    const failure = await failureOf(
      new WebClient(guardFor({ allow: ['127.0.0.1', '169.254.0.0/16', '100.64.0.0/10'] })).fetch({
        url: `http://web.test:${port}/`,
        purpose: 'test',
        allowPlain: true,
      }),
    );
    expect(failure.reason).toBe(reason);
  });

  it('reads no more than allowed, announced or not', async () => {
    const big = 1024 ** 3;
    let sent = 0;
    const port = await listen((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const chunk = Buffer.alloc(65_536);
        const push = () => {
          while (!socket.destroyed && sent < big && socket.write(chunk)) sent += chunk.length;
        };
        socket.on('drain', push);
        push();
      }),
    );
    const announced = await listen((socket) =>
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${big}\r\n\r\n`)),
    );
    const client = new WebClient(guardFor());
    for (const one of [port, announced]) {
      const failure = await failureOf(
        client.fetch({ url: `http://web.test:${one}/`, purpose: 'test', allowPlain: true, maxBytes: 100_000 }),
      );
      expect(failure.reason).toBe('too-large');
    }
    expect(sent).toBeLessThan(64 * 1024 ** 2);
  });

  it.each([
    ['headers', 'HTTP/1.1 200 OK\r\nX: '],
    ['a body', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['nothing', ''],
  ])('gives up on a server that drips %s', async (_what, start) => {
    const port = await listen((socket) => {
      socket.write(start);
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const before = performance.now();
    const failure = await failureOf(
      new WebClient(guardFor({ timeoutMs: 300 })).fetch({
        url: `http://web.test:${port}/`,
        purpose: 'test',
        allowPlain: true,
      }),
    );
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(['timeout', 'unreachable']).toContain(failure.reason);
  });

  it('streams both ways, longer than a request may take', async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (part) => (text += String(part)));
      request.on('end', () => {
        seen.push(`${request.method} ${text}`);
        response.write('first ');
        setTimeout(() => response.end('last'), 600);
      });
    }).listen(0, '127.0.0.1');
    closers.push(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    async function* read(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('one ');
      yield Buffer.from('two');
    }
    const answer = await new WebClient(guardFor({ timeoutMs: 300 })).openStream({
      url: `http://web.test:${port}/`,
      method: 'PUT',
      body: read(),
      idleMs: 5_000,
      purpose: 'test',
      allowPlain: true,
    });
    let text = '';
    for await (const part of answer.body) text += String(Buffer.from(part));
    expect([answer.status, text, seen]).toEqual([200, 'first last', ['PUT one two']]);
  });

  it('ends a stream that stays silent', async () => {
    const port = await listen((socket) => socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nx')));
    const answer = await new WebClient(guardFor()).openStream({
      url: `http://web.test:${port}/`,
      idleMs: 300,
      purpose: 'test',
      allowPlain: true,
    });
    const read = async (): Promise<void> => {
      for await (const _part of answer.body);
    };
    expect((await failureOf(read())).reason).toBe('unreachable');
  });

  it('counts what fails alone where the host is known to be what it was named for', async () => {
    const port = await listen((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nx')));
    const web = new WebClient(guardFor({ perMinute: 2, failureStepMs: 0 }));
    const send = (host: string, countsFailuresOnly: boolean) =>
      web.fetch({
        ...{ url: `http://${host}:${port}/`, purpose: 'test', allowPlain: true },
        ...{ onBehalfOf: '1:3', countsFailuresOnly },
      });
    for (let attempt = 0; attempt < 5; attempt++) expect((await send('web.test', true)).status).toBe(200);
    expect((await failureOf(send('10.0.0.1', true))).reason).toBe('forbidden-address');
    expect((await send('web.test', false)).status).toBe(200);
    expect((await failureOf(send('web.test', true))).reason).toBe('too-many-attempts');
  });

  it('speaks plain HTTP only when the caller wants it', async () => {
    const failure = await failureOf(new WebClient(guardFor()).fetch({ url: 'http://web.test/', purpose: 'test' }));
    expect(failure.reason).toBe('bad-url');
  });

  it('is not held up by a name server that says nothing', async () => {
    const silent = await startNameServer({}, () => 'silence');
    closers.push(() => silent.close());
    const start = performance.now();
    const guard = guardFor({ dnsServers: [silent.address], timeoutMs: 200 });
    expect((await failureOf(guard.connect(target('web.test')))).reason).toBe('timeout');
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
