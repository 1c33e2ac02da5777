import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { OutboundGuard, OutboundSettings, PortList, type PeerCertificate } from '@groupware/outbound';
import {
  startDovecot,
  startNameServer,
  testAuthority,
  uniquePrefix,
  until,
  type Dovecot,
  type NameServer,
} from '@groupware/test-kit';
import { Redis } from 'ioredis';
import { SMTPServer } from 'smtp-server';
import { ConnectionGovernor } from './governor/connection-governor';
import { GovernorSettings } from './governor/governor-settings';
import { MailConnector } from './mail-connector';
import { MailFailure } from './mail-failure';
import type { MailCredentials, MailServer } from './mail-server';
import type { Pop3Session } from './pop3/pop3-session';

const authority = testAuthority();
/** For peers that never answer as they should. */
const TIMEOUT_MS = 1_500;
/** For real servers, on a machine that may be busy. */
const PATIENCE_MS = 20_000;
let timeoutMs = PATIENCE_MS;
afterEach(() => {
  timeoutMs = PATIENCE_MS;
});
const ann: MailCredentials = { login: 'ann', password: 'secret' };
const folder = mkdtempSync(path.join(os.tmpdir(), 'mail-access-'));
const caFile = path.join(folder, 'ca.pem');
const closers: (() => unknown)[] = [];
let names: NameServer;
let dovecot: Dovecot;
let expired: Dovecot;
let redis: Redis;
let connector: MailConnector;

const server = (port: number, changes: Partial<MailServer> = {}): MailServer => ({
  protocol: 'imap',
  host: 'mail.test',
  port,
  protection: 'offered',
  allowPlain: true,
  ...changes,
});
let uses = 0;
const use = () => ({ account: `1:3:${(uses += 1)}`, timeoutMs });
/** Runs work for a caller who does not wait long. */
const hastily = <T>(work: () => T): T => {
  timeoutMs = TIMEOUT_MS;
  return work();
};
const imap = (port: number, changes: Partial<MailServer> = {}, credentials = ann) =>
  connector.withImap(server(port, changes), credentials, use(), async ({ client, secure }) => ({
    secure,
    folders: (await client.list()).map(({ path: name }) => name).sort(),
  }));
const pop3 = (port: number, changes: Partial<MailServer> = {}, credentials = ann) =>
  connector.withPop3(
    server(port, { protocol: 'pop3', ...changes }),
    credentials,
    use(),
    async ({ secure, capabilities }) => ({ secure, capabilities }),
  );
const smtp = (port: number, changes: Partial<MailServer> = {}, credentials: MailCredentials | undefined = ann) =>
  connector.withSmtp(server(port, { protocol: 'smtp', ...changes }), credentials, use(), async ({ secure }) => ({
    secure,
  }));
const failureOf = async (work: Promise<unknown>): Promise<MailFailure> => {
  const error: unknown = await work.then(
    (value) => ({ succeeded: value }),
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(MailFailure);
  return error as MailFailure;
};
const failureOrNot = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
/** A server that says one thing and then does what it is told to. */
const peer = async (onSocket: (socket: net.Socket) => void): Promise<number> => {
  const listener = net.createServer((socket) => {
    socket.on('error', () => undefined);
    closers.push(() => socket.destroy());
    onSocket(socket);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  closers.push(() => listener.close());
  return (listener.address() as AddressInfo).port;
};
const smtpServer = async (options: object): Promise<number> => {
  const smtpd = new SMTPServer({
    logger: false,
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    onAuth: (auth, _session, done) =>
      auth.password === 'secret' || auth.accessToken === 'token'
        ? done(null, { user: auth.username })
        : done(Object.assign(new Error('refused'), { responseCode: 535 })),
    ...options,
  });
  smtpd.on('error', () => undefined);
  await new Promise<void>((resolve) => smtpd.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise<void>((resolve) => smtpd.close(() => resolve())));
  return (smtpd.server.address() as AddressInfo).port;
};

beforeAll(async () => {
  writeFileSync(caFile, authority.cert);
  const good = authority.issue(['mail.test', '127.0.0.1']);
  const past = { from: Date.now() - 10 * 86_400_000, to: Date.now() - 86_400_000 };
  [names, dovecot, expired] = await Promise.all([
    startNameServer({ 'mail.test': { a: ['127.0.0.1'] }, 'other.test': { a: ['127.0.0.1'] } }),
    startDovecot({ certificate: good, users: { ann: 'secret', paul: 'secret' } }),
    startDovecot({ certificate: authority.issue(['mail.test'], past) }),
  ]);
  redis = new Redis(process.env.REDIS_URL!);
  const settings = Object.assign(new OutboundSettings(), {
    allow: ['127.0.0.1'],
    dnsServers: [names.address],
    caFile,
    failureStepMs: 100,
  });
  const governor = new ConnectionGovernor(
    redis,
    uniquePrefix(),
    Object.assign(new GovernorSettings(), { perAccount: 20, breakerFailures: 1_000 }),
  );
  connector = new MailConnector(new OutboundGuard(settings), governor, new PortList(['1024-65535']));
}, 60_000);
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  await Promise.all([names?.close(), dovecot?.stop(), expired?.stop()]);
  redis?.disconnect();
  rmSync(folder, { recursive: true, force: true });
});

describe('IMAP', () => {
  const FOLDERS = ['Archive', 'Drafts', 'INBOX', 'Junk', 'Sent', 'Trash'];

  it.each([
    ['TLS', () => imap(dovecot.imaps, { protection: 'tls' })],
    ['STARTTLS', () => imap(dovecot.imap, { protection: 'starttls' })],
    ['the TLS that is offered', () => imap(dovecot.imap)],
    ['a bare address', () => imap(dovecot.imaps, { protection: 'tls', host: '127.0.0.1' })],
  ])('logs in with %s and lists folders', async (_name, work) => {
    expect(await work()).toEqual({ secure: true, folders: FOLDERS });
  });

  it.each([
    ['a wrong password', 'credentials', () => imap(dovecot.imaps, { protection: 'tls' }, { ...ann, password: 'no' })],
    ['an unknown user', 'credentials', () => imap(dovecot.imap, {}, { login: 'nobody', password: 'x' })],
    ['an expired certificate', 'certificate', () => imap(expired.imaps, { protection: 'tls' })],
    ['an expired certificate after STARTTLS', 'certificate', () => imap(expired.imap, { protection: 'starttls' })],
    [
      'a certificate of another name',
      'certificate',
      () => imap(dovecot.imaps, { protection: 'tls', host: 'other.test' }),
    ],
    [
      'an OAuth token it does not take',
      'authentication',
      () => imap(dovecot.imap, {}, { login: 'ann', accessToken: 't' }),
    ],
    ['an unknown host', 'unreachable', () => imap(dovecot.imap, { host: 'nowhere.test' })],
    ['a forbidden address', 'unreachable', () => imap(dovecot.imap, { host: '127.0.0.2' })],
    ['a forbidden port', 'unreachable', () => imap(25)],
    ['a closed port', 'unreachable', () => imap(1_025)],
    ['TLS on the plain port', 'unreachable', () => imap(dovecot.imap, { protection: 'tls' })],
    ['plain on the TLS port', 'unreachable', () => hastily(() => imap(dovecot.imaps))],
  ])('tells %s', async (_name, kind, work) => {
    expect((await failureOf(work())).kind).toBe(kind);
  });

  it('refuses clear text unless it is allowed', async () => {
    const plain = await peer((socket) => {
      socket.write('* OK [CAPABILITY IMAP4rev1] hello\r\n');
      socket.on('data', (data) => {
        const tag = String(data).split(' ')[0];
        socket.write(/LOGIN/.test(String(data)) ? `${tag} OK in\r\n` : `${tag} OK\r\n`);
      });
    });
    expect((await failureOf(imap(plain, { allowPlain: false }))).kind).toBe('plain');
    expect((await failureOf(imap(plain, { protection: 'starttls' }))).kind).toBe('plain');
    expect(await imap(plain)).toMatchObject({ secure: false });
  });

  it.each([
    ['a black hole', () => undefined],
    [
      'a greeting that comes too late',
      (socket: net.Socket) => setTimeout(() => socket.write('* OK late\r\n'), 60_000).unref(),
    ],
    [
      'one that drips',
      (socket: net.Socket) => {
        const timer = setInterval(() => socket.write('*'), 20);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('gives up on %s', async (_name, behave) => {
    const port = await peer(behave);
    const start = performance.now();
    expect((await failureOf(hastily(() => imap(port)))).kind).toBe('unreachable');
    expect(performance.now() - start).toBeGreaterThan(TIMEOUT_MS - 50);
    // A machine may be busy, but no caller waits as long as for a real server.
    expect(performance.now() - start).toBeLessThan(PATIENCE_MS / 2);
  });

  it.each([
    ['hangs up at once', (socket: net.Socket) => socket.end()],
    [
      'hangs up in mid-login',
      (socket: net.Socket) => {
        socket.write('* OK [CAPABILITY IMAP4rev1] hello\r\n');
        socket.on('data', (data) => /LOGIN/.test(String(data)) && socket.destroy());
      },
    ],
    ['speaks another protocol', (socket: net.Socket) => socket.write('220 smtp.test ESMTP\r\n')],
  ])('is unreachable when it %s', async (_name, behave) => {
    const port = await peer(behave);
    expect((await failureOf(hastily(() => imap(port)))).kind).toBe('unreachable');
  });

  it('tells when the server allows no further connection', async () => {
    let inside = 0;
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const hold = Array.from({ length: 10 }, () =>
      connector.withImap(server(dovecot.imaps, { protection: 'tls' }), ann, use(), () => {
        inside += 1;
        return left;
      }),
    );
    await until(() => inside === 10);
    expect((await failureOf(imap(dovecot.imaps, { protection: 'tls' }))).kind).toBe('busy');
    leave();
    await Promise.all(hold);
    await until(async () => (await failureOrNot(imap(dovecot.imaps, { protection: 'tls' }))) === undefined);
    expect(await imap(dovecot.imaps, { protection: 'tls' })).toMatchObject({ secure: true });
  });

  it('logs in with a token by OAUTHBEARER, else by XOAUTH2', async () => {
    const said: string[] = [];
    const speaking = (capability: string) =>
      peer((socket) => {
        socket.write(`* OK [CAPABILITY IMAP4rev1 SASL-IR ${capability}] hello\r\n`);
        socket.on('data', (data) => {
          const [tag, command, mechanism, text] = String(data).trim().split(' ');
          if (command === 'AUTHENTICATE')
            said.push(`${mechanism} ${Buffer.from(text!, 'base64')}`.replaceAll('\x01', '|'));
          socket.write(`${tag} OK\r\n`);
        });
      });
    const token = { login: 'ann@mail.test', accessToken: 'token' };
    const bearer = await speaking('AUTH=OAUTHBEARER AUTH=XOAUTH2');
    await imap(bearer, {}, token);
    await imap(await speaking('AUTH=XOAUTH2'), {}, token);
    expect(said).toEqual([
      `OAUTHBEARER n,a=ann@mail.test,|host=mail.test|port=${bearer}|auth=Bearer token||`,
      'XOAUTH2 user=ann@mail.test|auth=Bearer token||',
    ]);
  });
});

describe('POP3', () => {
  it.each([
    ['TLS', () => pop3(dovecot.pop3s, { protection: 'tls' })],
    ['STLS', () => pop3(dovecot.pop3, { protection: 'starttls' })],
    ['the STLS that is offered', () => pop3(dovecot.pop3)],
  ])('logs in with %s', async (_name, work) => {
    const { secure, capabilities } = await work();
    expect(secure).toBe(true);
    expect([...capabilities]).toEqual(expect.arrayContaining(['UIDL', 'TOP', 'SASL PLAIN']));
  });

  it.each([
    ['a wrong password', 'credentials', () => pop3(dovecot.pop3s, { protection: 'tls' }, { ...ann, password: 'no' })],
    ['a line end in the password', 'credentials', () => pop3(dovecot.pop3, {}, { ...ann, password: 'x\r\nDELE 1' })],
    ['an expired certificate', 'certificate', () => pop3(expired.pop3s, { protection: 'tls' })],
    ['a token it does not take', 'authentication', () => pop3(dovecot.pop3, {}, { login: 'ann', accessToken: 't' })],
    ['an unknown host', 'unreachable', () => pop3(dovecot.pop3, { host: 'nowhere.test' })],
    ['an IMAP server', 'unreachable', () => pop3(dovecot.imap)],
  ])('tells %s', async (_name, kind, work) => {
    expect((await failureOf(work())).kind).toBe(kind);
  });

  it('logs in with a token by OAUTHBEARER, else by XOAUTH2', async () => {
    const said: string[] = [];
    const speaking = (mechanisms: string) =>
      peer((socket) => {
        socket.write('+OK hello\r\n');
        socket.on('data', (data) => {
          const [command, mechanism, text] = String(data).trim().split(' ');
          if (command === 'CAPA') return socket.write(`+OK\r\nSASL ${mechanisms}\r\n.\r\n`);
          if (command === 'AUTH') said.push(`${mechanism} ${Buffer.from(text!, 'base64')}`.replaceAll('\x01', '|'));
          return socket.write(/old/.test(said.at(-1) ?? '') && command !== 'AQ==' ? '+ e30=\r\n' : answerTo(command!));
        });
      });
    const answerTo = (command: string) => (command === 'AQ==' ? '-ERR no\r\n' : '+OK\r\n');
    const token = { login: 'ann@mail.test', accessToken: 'token' };
    const bearer = await speaking('XOAUTH2 OAUTHBEARER');
    await pop3(bearer, {}, token);
    await pop3(await speaking('PLAIN XOAUTH2'), {}, token);
    expect((await failureOf(pop3(bearer, {}, { ...token, accessToken: 'old' }))).kind).toBe('credentials');
    expect(said.slice(0, 2)).toEqual([
      `OAUTHBEARER n,a=ann@mail.test,|host=mail.test|port=${bearer}|auth=Bearer token||`,
      'XOAUTH2 user=ann@mail.test|auth=Bearer token||',
    ]);
  });

  const openPop3 = <T>(port: number, work: (session: Pop3Session) => Promise<T>) =>
    connector.withPop3(server(port, { protocol: 'pop3' }), { login: 'paul', password: 'secret' }, use(), work);

  it('lists, reads and removes mails', async () => {
    const sources = [
      'Subject: one\r\n\r\n.dot\r\n..\r\n',
      `Subject: two\r\n\r\n${'x'.repeat(9_000)}\r\n`,
      'no mail\r\n',
    ];
    for (const source of sources) await dovecot.deliver('paul', source);
    const first = await openPop3(dovecot.pop3, async (session) => {
      const mails = await session.listMails();
      expect(mails.map(({ number }) => number)).toEqual([1, 2, 3]);
      expect(new Set(mails.map(({ uid }) => uid)).size).toBe(3);
      for (const [index, mail] of mails.entries()) {
        const source = (await session.read(mail, 1_000_000)).toString('latin1');
        expect(source.endsWith(sources[index]!.slice(sources[index]!.indexOf('\r\n\r\n') + 1))).toBe(true);
        expect(mail.size).toBeGreaterThanOrEqual(sources[index]!.length);
      }
      await session.remove(mails[1]!);
      await session.close();
      return mails;
    });
    const left = await openPop3(dovecot.pop3, (session) => session.listMails());
    expect(left.map(({ uid }) => uid)).toEqual([first[0]!.uid, first[2]!.uid]);
  });

  it('ends with servers that say too much, or refuse', async () => {
    const speaking = (answer: (command: string) => string) =>
      peer((socket) => {
        socket.write('+OK hello\r\n');
        socket.on('data', (data) => {
          const command = String(data).split(/[ \r]/)[0]!;
          if (/^(CAPA|USER|PASS|QUIT)$/.test(command)) socket.write(command === 'CAPA' ? '-ERR\r\n' : '+OK\r\n');
          else socket.write(answer(command));
        });
      });
    const mail = { number: 1, uid: 'a', size: 1 };
    const endless = await speaking(() => `+OK\r\n${'x\r\n'.repeat(2_000_000)}`);
    expect((await failureOf(openPop3(endless, (session) => session.read(mail, 1_000)))).kind).toBe('broken');
    const refusing = await speaking(() => '-ERR no\r\n');
    expect((await failureOf(openPop3(refusing, (session) => session.listMails()))).kind).toBe('unreachable');
    const odd = await speaking((command) =>
      command === 'LIST' ? '+OK\r\n1 x\r\n2 20\r\n.\r\n' : '+OK\r\n1\r\n2 b\r\nx y\r\n.\r\n',
    );
    expect(await openPop3(odd, (session) => session.listMails())).toEqual([{ number: 2, uid: 'b', size: 20 }]);
  });

  it('refuses clear text unless it is allowed', async () => {
    const plain = await peer((socket) => {
      socket.write('+OK hello\r\n');
      socket.on('data', (data) => socket.write(/^CAPA/.test(String(data)) ? '+OK\r\nTOP\r\n.\r\n' : '+OK\r\n'));
    });
    expect((await failureOf(pop3(plain, { allowPlain: false }))).kind).toBe('plain');
    expect(await pop3(plain)).toMatchObject({ secure: false });
  });
});

describe('SMTP', () => {
  const { cert, key } = authority.issue(['mail.test']);

  it.each([
    ['TLS', { secure: true, cert, key }, { protection: 'tls' }, true],
    ['STARTTLS', { cert, key }, { protection: 'starttls' }, true],
    ['the TLS that is offered', { cert, key }, {}, true],
    ['clear text', { hideSTARTTLS: true, allowInsecureAuth: true }, {}, false],
  ] as const)('logs in with %s', async (_name, options, changes, secure) => {
    expect(await smtp(await smtpServer(options), changes)).toEqual({ secure });
  });

  it('logs in with a token, and without credentials where none are needed', async () => {
    const port = await smtpServer({ cert, key });
    expect(await smtp(port, {}, { login: 'ann', accessToken: 'token' })).toEqual({ secure: true });
    expect((await failureOf(smtp(port, {}, { login: 'ann', accessToken: 'old' }))).kind).toBe('credentials');
    expect(await connector.withSmtp(server(port, { protocol: 'smtp' }), undefined, use(), async () => 'in')).toBe('in');
  });

  it('logs in with a token by OAUTHBEARER where that is offered', async () => {
    const said: string[] = [];
    const port = await peer((socket) => {
      socket.write('220 hi\r\n');
      socket.on('data', (data) => {
        const [command, mechanism, text] = String(data).trim().split(' ');
        if (command === 'EHLO') return socket.write('250-hi\r\n250 AUTH XOAUTH2 OAUTHBEARER\r\n');
        if (command !== 'AUTH') return socket.write('250 OK\r\n');
        said.push(`${mechanism} ${Buffer.from(text!, 'base64')}`.replaceAll('\x01', '|'));
        // RFC 7628, section 3.2.2: the server explains the refusal before it refuses.
        return socket.write(/old/.test(said.at(-1)!) ? '334 e30=\r\n' : '235 in\r\n');
      });
    });
    expect(await smtp(port, {}, { login: 'ann', accessToken: 'token' })).toEqual({ secure: false });
    expect((await failureOf(smtp(port, {}, { login: 'ann', accessToken: 'old' }))).kind).toBe('credentials');
    expect(said[0]).toBe(`OAUTHBEARER n,a=ann,|host=mail.test|port=${port}|auth=Bearer token||`);
  });

  it('tells what is wrong', async () => {
    const port = await smtpServer({ cert, key });
    const past = authority.issue(['mail.test'], { from: Date.now() - 2e9, to: Date.now() - 1e9 });
    const bare = await smtpServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    const [late, lateUpgrade] = [await smtpServer({ secure: true, ...past }), await smtpServer(past)];
    const [silent, hangsUp] = [await peer(() => undefined), await peer((socket) => socket.end())];
    const cases: [string, () => Promise<unknown>][] = [
      ['credentials', () => smtp(port, {}, { ...ann, password: 'no' })],
      ['certificate', () => smtp(late, { protection: 'tls' })],
      ['certificate', () => smtp(lateUpgrade, { protection: 'starttls' })],
      ['certificate', () => smtp(port, { host: 'other.test' })],
      ['plain', () => smtp(bare, { protection: 'starttls' })],
      ['plain', () => smtp(bare, { allowPlain: false })],
      ['unreachable', () => smtp(port, { host: 'nowhere.test' })],
      ['unreachable', () => smtp(1_025)],
      ['unreachable', () => smtp(silent)],
      ['unreachable', () => smtp(hangsUp)],
    ];
    for (const [index, [kind, work]] of cases.entries())
      expect([index, (await failureOf(work())).kind]).toEqual([index, kind]);
  });
});

describe('certificates that are not trusted', () => {
  it('are shown to whoever may accept them, before anything secret is said', async () => {
    const said: string[] = [];
    const past = authority.issue(['mail.test'], { from: Date.now() - 2e9, to: Date.now() - 1e9 });
    const spy = tls.createServer(past, (socket) => {
      socket.on('error', () => undefined).write('* OK [CAPABILITY IMAP4rev1] hello\r\n');
      socket.on('data', (data) => {
        said.push(String(data));
        socket.write(`${String(data).split(' ')[0]} OK\r\n`);
      });
    });
    await new Promise<void>((resolve) => spy.listen(0, '127.0.0.1', resolve));
    closers.push(() => spy.close());
    const { port } = spy.address() as AddressInfo;
    const shown: unknown[] = [];
    const log = (accepts: boolean) =>
      connector.withImap(
        server(port, { protection: 'tls' }),
        ann,
        { ...use(), acceptsCertificate: async (certificate) => accepts === Boolean(shown.push(certificate)) },
        async ({ secure }) => secure,
      );
    const failure = await failureOf(log(false));
    expect([failure.kind, failure.detail]).toEqual(['certificate', (shown[0] as PeerCertificate).fingerprint]);
    expect(said.join()).not.toMatch(/LOGIN|AUTHENTICATE/);
    expect(await log(true)).toBe(true);
    expect(said.join()).toMatch(/LOGIN/);
  });
});

describe('hostile servers', () => {
  const protocols = { imap, pop3, smtp };
  const greetings = { imap: '* OK hi\r\n', pop3: '+OK hi\r\n', smtp: '220 hi\r\n' };

  it.each([
    ['imap', ['* OK hello', '* PREAUTH welcome', '* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] hello']],
    ['pop3', ['+OK hello']],
    ['smtp', ['220 hello']],
  ] as const)('%s: a password that must not travel in clear text does not', async (protocol, greetings) => {
    for (const greeting of greetings) {
      let said = '';
      const port = await peer((socket) => {
        socket.write(`${greeting}\r\n`);
        socket.on('data', (data) => {
          said += String(data);
          const [tag, command] = String(data).trim().split(' ');
          // It knows everything but encryption.
          const refuses = /STARTTLS|STLS/i.test(String(data));
          if (protocol === 'imap') {
            const list = command === 'CAPABILITY' ? '* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n' : '';
            socket.write(`${list}${tag} ${refuses ? 'BAD' : 'OK'} done\r\n`);
          } else if (protocol === 'pop3') socket.write(refuses || tag === 'CAPA' ? '-ERR no\r\n' : '+OK\r\n');
          else socket.write(refuses ? '502 no\r\n' : '250 AUTH PLAIN LOGIN\r\n');
        });
      });
      const guarded = { ...ann, encryptedOnly: true };
      const attempt = { imap, pop3, smtp }[protocol](port, {}, guarded);
      expect([greeting, (await failureOf(attempt)).kind]).toEqual([greeting, 'plain']);
      expect(said).not.toMatch(/LOGIN|AUTHENTICATE|USER|PASS|AUTH PLAIN|secret|c2VjcmV0/);
    }
  });

  it.each(['imap', 'pop3', 'smtp'] as const)(
    '%s: are unreachable when they greet late or hang up',
    async (protocol) => {
      const late = await peer((socket) => setTimeout(() => socket.write(greetings[protocol]), 60_000).unref());
      const leaving = await peer((socket) => {
        socket.write(greetings[protocol]);
        socket.on('data', () => socket.destroy());
      });
      for (const port of [late, leaving])
        expect((await failureOf(hastily(() => protocols[protocol](port)))).kind).toBe('unreachable');
    },
  );

  it.each([
    ['pop3', { CAPA: '+OK\r\nUSER\r\n.\r\n', USER: '+OK\r\n' }, 'PASS'],
    ['smtp', { EHLO: '250-hi\r\n250 AUTH PLAIN\r\n' }, 'AUTH'],
  ] as const)('%s: are unreachable when they hang up in mid-login', async (protocol, answers, last) => {
    let hungUp = 0;
    const port = await peer((socket) => {
      socket.write(greetings[protocol]);
      socket.on('data', (data) => {
        const command = String(data).trim().split(' ')[0]!;
        if (command === last) return (hungUp += 1) && socket.destroy();
        return socket.write((answers as Record<string, string>)[command] ?? '');
      });
    });
    expect((await failureOf(hastily(() => protocols[protocol](port)))).kind).toBe('unreachable');
    expect(hungUp).toBe(1);
  });

  /** Sends a text again and again, up to 1 GB, as quickly as it is taken. */
  const flood = (socket: net.Socket, text: string, count: (bytes: number) => number) => {
    const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
    const push = () => {
      while (!socket.destroyed && count(chunk.length) < 1024 ** 3 && socket.write(chunk));
    };
    socket.on('drain', push);
    push();
  };

  it.each(
    (['imap', 'pop3', 'smtp'] as const).flatMap(
      (protocol) =>
        [
          [protocol, 'a banner without end', '', 'A'],
          [protocol, 'lines without end', '', { imap: '* OK x\r\n', pop3: 'x\r\n', smtp: '220-x\r\n' }[protocol]],
          [
            protocol,
            'an answer without end',
            greetings[protocol],
            { imap: '* CAPABILITY ', pop3: 'X', smtp: '250-x\r\n' }[protocol],
          ],
        ] as const,
    ),
  )('%s: read no more than allowed of %s', async (protocol, _name, greeting, text) => {
    let sent = 0;
    const count = (bytes: number) => (sent += bytes);
    const port = await peer((socket) => {
      if (greeting === '') return flood(socket, text, count);
      socket.write(greeting);
      socket.once('data', () => flood(socket, text, count));
    });
    expect((await failureOf(hastily(() => protocols[protocol](port)))).kind).toBe('unreachable');
    // Bytes that the sockets of both sides hold are sent, but not read.
    expect(sent).toBeLessThan(64 * 1024 ** 2);
  });

  it.each(['pop3', 'smtp'] as const)('%s: give no more time to one that drips', async (protocol) => {
    const port = await peer((socket) => {
      const timer = setInterval(() => socket.write('2'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const start = performance.now();
    expect((await failureOf(hastily(() => protocols[protocol](port)))).kind).toBe('unreachable');
    expect(performance.now() - start).toBeLessThan(PATIENCE_MS / 2);
  });
});
