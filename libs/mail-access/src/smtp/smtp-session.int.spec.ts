import net, { type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { OutboundGuard, OutboundSettings, PortList } from '@groupware/outbound';
import { SMTPServer } from 'smtp-server';
import { SmtpAttempt } from '../smtp-attempt';
import { SmtpSession, type SmtpEnvelope, type SmtpOutcome } from './smtp-session';

type Script = readonly (readonly [command: RegExp, reply: string])[];

const guard = new OutboundGuard(Object.assign(new OutboundSettings(), { allow: ['127.0.0.1'], failureStepMs: 10 }));
const closers: (() => unknown)[] = [];
/** Texts that ended with their final dot, as servers got them. */
let taken: string[] = [];
let commands: string[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
  taken = [];
  commands = [];
});

/** A server that follows a script; `` hangs up, `…` says nothing more. What the script leaves out is accepted. */
async function scripted(script: Script, extensions: readonly string[] = []): Promise<number> {
  const server = net.createServer((socket) => {
    let text: string | undefined;
    let rest = '';
    let accepted = 0;
    const say = (command: string, usual: string): string => {
      const reply = script.find(([pattern]) => pattern.test(command))?.[1] ?? usual;
      if (reply === '') socket.destroy();
      else if (reply !== '…') socket.write(`${reply}\r\n`);
      return reply;
    };
    socket.on('error', () => undefined).write('220 hi\r\n');
    socket.on('data', (data) => {
      rest += data.toString('latin1');
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (text !== undefined && line !== '.') text += `${line}\n`;
        else if (text !== undefined) {
          taken.push(text);
          text = undefined;
          say('.', '250 taken');
        } else {
          commands.push(line);
          if (/^EHLO/.test(line)) {
            const lines = ['hi', ...extensions];
            socket.write(lines.map((each, at) => `250${at < lines.length - 1 ? '-' : ' '}${each}\r\n`).join(''));
            continue;
          }
          // Without sender and recipient there is no text (RFC 5321, section 3.3).
          if (/^(MAIL|RSET)/.test(line)) accepted = 0;
          const isOutOfOrder = (/^RCPT/.test(line) && accepted < 1) || (line === 'DATA' && accepted < 2);
          const reply = isOutOfOrder ? say('', '503 bad sequence') : say(line, line === 'DATA' ? '354 go' : '250 ok');
          if (reply.startsWith('250')) accepted += 1;
          if (reply.startsWith('354')) text = '';
        }
      }
    });
    closers.push(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

async function connect(port: number): Promise<SmtpSession> {
  const signal = AbortSignal.timeout(5_000);
  const target = await guard.check({ host: '127.0.0.1', port, ports: new PortList(['1024-65535']) }, signal);
  const server = { protocol: 'smtp', host: '127.0.0.1', port, protection: 'offered', allowPlain: true } as const;
  const { connection } = await new SmtpAttempt(guard, server, undefined).open(target, signal);
  const session = new SmtpSession(connection);
  closers.push(() => session.close());
  return session;
}
const to = ['b@x.example', 'c@x.example'];
const transfer = (
  session: SmtpSession,
  envelope: Partial<SmtpEnvelope> = {},
  text = 'Subject: x\r\n\r\nHello\r\n',
  timeoutMs = 500,
) =>
  session.transfer({
    envelope: { from: 'a@x.example', to, ...envelope },
    open: () => Readable.from([Buffer.from(text)]),
    timeoutMs,
  });
const send = async (script: Script, extensions?: readonly string[], envelope?: Partial<SmtpEnvelope>) =>
  transfer(await connect(await scripted(script, extensions)), envelope);
const inShort = ({ state, refusal, isBroken }: SmtpOutcome) => [state, refusal, isBroken];

describe.each([
  ['with', ['PIPELINING', 'SIZE']],
  ['without', []],
] as const)('handing over mails %s pipelining', (_name, extensions) => {
  it('says what the server took', async () => {
    const session = await connect(await scripted([], extensions));
    expect(await transfer(session)).toMatchObject({ state: 'sent', reply: '250 taken', isBroken: false });
    expect(await transfer(session, {}, '.dots\r\n..\r\n')).toMatchObject({ state: 'sent' });
    expect(taken).toEqual(['Subject: x\n\nHello\n', '..dots\n...\n']);
  });

  it('MX-12 sends to all recipients or to none, and names those who were refused', async () => {
    const outcome = await send([[/b@x/, '550 no such user']], extensions);
    expect(outcome).toMatchObject({
      state: 'refused',
      refusal: 'recipients',
      recipients: ['b@x.example'],
      reply: '550 no such user',
    });
    expect(inShort(await send([[/RCPT/, '450 later']], extensions))).toEqual(['temporary', 'recipients', false]);
    expect(taken).toEqual([]);
  });

  it('tells what is refused for now from what is refused for good', async () => {
    expect(inShort(await send([[/MAIL/, '553 not you']], extensions))).toEqual(['refused', 'sender', false]);
    expect(inShort(await send([[/MAIL/, '552 too large']], extensions))).toEqual(['refused', 'size', false]);
    expect(inShort(await send([[/^DATA/, '451 busy']], extensions))).toEqual(['temporary', 'mail', false]);
    expect(inShort(await send([[/^\.$/, '554 spam']], extensions))).toEqual(['refused', 'mail', false]);
    expect(inShort(await send([[/^\.$/, '421 closing']], extensions))).toEqual(['temporary', 'mail', true]);
  });

  it('MX-23 tells what nobody knows: the text had left, and no reply came', async () => {
    expect(inShort(await send([[/^\.$/, '']], extensions))).toEqual(['unknown', undefined, true]);
    expect(await send([[/^\.$/, '…']], extensions)).toMatchObject({ state: 'unknown', isTimeout: true });
    expect(taken).toHaveLength(2);
  });

  it('knows that nothing was sent before the text had left', async () => {
    expect(inShort(await send([[/MAIL/, '']], extensions))).toEqual(['temporary', undefined, true]);
    expect(inShort(await send([[/^DATA/, '']], extensions))).toEqual(['temporary', undefined, true]);
    expect(await send([[/^DATA/, '…']], extensions)).toMatchObject({ state: 'temporary', isTimeout: true });
    const session = await connect(await scripted([], extensions));
    const broken = await session.transfer({
      envelope: { from: 'a@x.example', to },
      open: async function* () {
        yield Buffer.from('half\r\n');
        throw new Error('no such file');
      },
      timeoutMs: 500,
    });
    expect(broken).toMatchObject({ state: 'temporary', isBroken: true });
    const port = await scripted([], extensions);
    const calledOff = await (
      await connect(port)
    ).transfer({
      envelope: { from: 'a@x.example', to },
      open: () => Readable.from([Buffer.from('x')]),
      beginTransfer: async () => false,
      timeoutMs: 500,
    });
    expect(inShort(calledOff)).toEqual(['temporary', undefined, true]);
    expect(taken).toEqual([]);
  });
});

describe('addresses of mails', () => {
  it('have their domains in ASCII, and no commands in them', async () => {
    await send([], [], { from: 'a@müller.example', to: ['b@bücher.example'] });
    expect(commands.slice(1, 3)).toEqual(['MAIL FROM:<a@xn--mller-kva.example>', 'RCPT TO:<b@xn--bcher-kva.example>']);
    taken = [];
    const injected = await send([], [], { to: ['b@x.example>\r\nRCPT TO:<v@x.example'] });
    expect([injected.state, taken, commands.filter((line) => /v@x/.test(line))]).toEqual(['temporary', [], []]);
  });
});

describe('addresses that are not in ASCII', () => {
  const named = { from: 'a@x.example', to: ['b@x.example', 'jörg@x.example'] };

  it('are handed over to servers that take such (RFC 6531)', async () => {
    expect(await send([], ['SMTPUTF8'], named)).toMatchObject({ state: 'sent' });
    const wire = Buffer.from('RCPT TO:<jörg@x.example>').toString('latin1');
    expect([commands[1], commands[3]]).toEqual(['MAIL FROM:<a@x.example> SMTPUTF8', wire]);
  });

  it('are refused for other servers, before they hear anything of the mail', async () => {
    const session = await connect(await scripted([]));
    const refused = { state: 'refused', refusal: 'recipients', recipients: ['jörg@x.example'], isBroken: false };
    expect(await transfer(session, named)).toMatchObject(refused);
    const author = { from: 'jörg@x.example', to };
    expect(await transfer(session, author)).toMatchObject({ state: 'refused', refusal: 'sender', isBroken: false });
    expect([commands.slice(1), taken]).toEqual([[], []]);
    expect(await transfer(session)).toMatchObject({ state: 'sent' });
  });
});

it('hands over to another implementation of the protocol', async () => {
  const texts: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData: (stream, _session, done) => {
      let text = '';
      stream.on('data', (part: Buffer) => (text += String(part)));
      stream.on('end', () => done(null, String(texts.push(text))));
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const session = await connect((server.server.address() as AddressInfo).port);
  const large = `${'x'.repeat(70)}\r\n`.repeat(50_000);
  expect(await transfer(session, { sizeBytes: large.length }, large, 30_000)).toMatchObject({ state: 'sent' });
  expect(texts).toEqual([large]);
});
