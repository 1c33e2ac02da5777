import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {
  ALARM_MAIL_LIMIT,
  ALARM_MAIL_TIMEFRAME_MS,
  OutgoingMailErrors,
  type EventMessage,
  type LocatedObjectFile,
  type MailState,
} from '@groupware/contracts';
import { FolderStore } from '@groupware/file-store';
import type { Caller } from '@groupware/messaging';
import type { ModuleDatabase, Transaction } from '@groupware/persistence';
import { OutboundGuard, OutboundSettings } from '@groupware/outbound';
import { Properties, Secret } from '@groupware/service-kit';
import { expectTenantIsolation, testDatabase, until, type TestDatabase } from '@groupware/test-kit';
import { SMTPServer } from 'smtp-server';
import { AlarmMailRequestedConsumer } from './consumers/alarm-mail-requested.consumer';
import { Composer } from './delivery/mail-composer';
import { MailDelivery } from './delivery/mail-delivery';
import { computeRetryPause } from './delivery/retry-pause';
import { SmtpConnector } from './delivery/smtp-connector';
import { MailFiles } from './files/mail-files';
import { MailQueue } from './mail-queue';
import { OutgoingMailConfig } from './outgoing-mail.config';
import { migrations } from './outgoing-mail.parts';
import { SchedulingRequestedConsumer } from './consumers/scheduling-requested.consumer';
import { MailRepository, type DueMail } from './persistence/mail.repository';

const tenant = { contextId: 1 };
const HOUR = 3_600_000;
const repository = new MailRepository();
let databases: TestDatabase;
let database: ModuleDatabase;
let server: SMTPServer;
let now: number;
/** Recipients of the mails that the server took over, and the texts. */
let received: { readonly to: string; readonly text: string }[];
/** Replies to recipients and mails by address: a code; `drop` hangs up during the text, `stall` waits for {@link release}. */
let replies: Map<string, { readonly rcpt?: number; readonly data?: number | 'drop' | 'stall' }>;
let release: (() => void) | undefined;
let config: OutgoingMailConfig;
let folder: string;
let store: FolderStore;

const failure = (responseCode: number): Error => Object.assign(new Error('no'), { responseCode });

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mail-files-'));
  store = new FolderStore(folder);
  databases = await testDatabase({ 'outgoing-mail': [...migrations] });
  database = await databases.of('outgoing-mail');
  server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === 'mailer' && password === 'right' ? done(null, { user: username }) : done(failure(535)),
    onRcptTo: ({ address }, _session, done) => {
      const code = replies.get(address)?.rcpt;
      done(code ? failure(code) : undefined);
    },
    onData: (stream, { envelope, id }, done) => {
      const to = envelope.rcptTo[0]!.address;
      const reply = replies.get(to)?.data;
      const pieces: Buffer[] = [];
      const accept = () => {
        received.push({ to, text: Buffer.concat(pieces).toString('latin1') });
        done();
      };
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        if (reply === 'stall') release = accept;
        else if (reply === 'drop') {
          received.push({ to, text: '' });
          for (const connection of server.connections as unknown as Set<{ id: string; _socket: { destroy(): void } }>)
            if (connection.id === id) connection._socket.destroy();
        } else if (reply) done(failure(reply));
        else accept();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}, 60_000);
afterAll(async () => {
  await new Promise<void>((resolve) => server.close(resolve));
  await databases?.close();
  fs.rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  now = 1_000_000_000;
  received = [];
  attached = [];
  replies = new Map();
  const { port } = server.server.address() as AddressInfo;
  config = Object.assign(new OutgoingMailConfig(), {
    ...{ host: '127.0.0.1', port, protection: 'offered', from: 'noreply@sender.example', fromName: 'Grüppe' },
    ...{ login: 'mailer', password: new Secret('right'), timeoutMs: 2_000, retryMs: 1_000 },
  });
  await administrate(async (db) => {
    await db.run('delete from mail');
    await db.run('delete from mail_allowance');
  });
});

const administrate = <T>(work: Parameters<typeof database.acrossContexts<T>>[1]): Promise<T> =>
  database.acrossContexts('a test looks at all', work);
const guard = new OutboundGuard(Object.assign(new OutboundSettings(), { allow: ['127.0.0.0/8'] }));
const clock = { now: () => now };
/** Files of events as the attachments service knows them. */
let attached: LocatedObjectFile[];
const attachments = { call: async () => attached } as unknown as Caller;
const createFiles = (settings = config): MailFiles => new MailFiles(attachments, settings, store);
const createDelivery = (settings = config): MailDelivery => {
  const [smtp, composer] = [new SmtpConnector(guard, settings), new Composer(settings)];
  return new MailDelivery(database, repository, smtp, composer, createFiles(settings), clock, settings);
};
const createQueue = (settings = config): MailQueue =>
  new MailQueue(repository, new Composer(settings), { requestRound: () => undefined } as MailDelivery, clock, settings);

async function enqueue(addresses: readonly string[], { key = 'order', settings = config } = {}): Promise<void> {
  const queue = createQueue(settings);
  const values = { sender: 'Änna', folder: 'Team', url: 'https://x.example/share/secret', message: 'Hallo' };
  const recipients = addresses.map((address) => ({ address, name: 'Bo', locale: 'de_DE' }));
  const mails = await queue.compose({ key, template: 'shareLink', values, recipients, replyTo: 'anna@sender.example' });
  await database.transact(tenant, (tx) => queue.enqueue(tx, mails));
}
const states = async (key = 'order'): Promise<Record<string, MailState>> =>
  Object.fromEntries(await database.read(tenant, (db) => repository.findStates(db, key)));
const mailRows = () =>
  database.read(tenant, (db) =>
    db.objects<{ address: string; state: string; due: number | null; message: string | null; reply: string | null }>(
      'select address, state, due_at as due, message, reply from mail where context_id = $1 order by address',
    ),
  );
const recipientsOf = () => received.map(({ to }) => to).sort();

describe('mails of the system', () => {
  it('leave once for each key and address, as text and HTML in the language of the recipient', async () => {
    await enqueue(['b@x.example', 'B@x.example', 'c@x.example']);
    await enqueue(['b@x.example']);
    await createDelivery().deliverDue();
    await enqueue(['b@x.example']);
    await createDelivery().deliverDue();
    expect(recipientsOf()).toEqual(['b@x.example', 'c@x.example']);
    expect(await states()).toEqual({ 'b@x.example': 'sent', 'c@x.example': 'sent' });
    const { text } = received[0]!;
    expect(text).toMatch(/^From: =\?UTF-8\?B\?R3LDvHBwZQ==\?= <noreply@sender\.example>\r$/m);
    expect(text).toMatch(/^Reply-To: anna@sender\.example\r$/m);
    expect(text).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(text).toMatch(/^Message-ID: <[0-9a-f-]{36}@sender\.example>\r$/m);
    expect(text).toMatch(/^Content-Type: multipart\/alternative;/m);
    const [plain, html] = [...text.matchAll(/base64\r\n\r\n([A-Za-z0-9+/=\r\n]+)/g)].map(([, body]) =>
      Buffer.from(body!, 'base64').toString(),
    );
    expect(plain).toContain('Änna schickt Ihnen einen Link zu „Team“.');
    expect(html).toContain('<a href="https://x.example/share/secret">Öffnen</a>');
  });

  it('of a large order are stored with several statements, each due when the rate allows it', async () => {
    const queue = createQueue(Object.assign(config, { perMinute: 2 }));
    const addresses = Array.from({ length: 8 }, (_none, index) => `${index}@x.example`);
    const mails = addresses.map((address) => ({
      ...{ id: randomUUID(), key: 'order', address, template: 'shareLink' as const, message: 'x'.repeat(100_000) },
    }));
    const insert = jest.spyOn(repository, 'insert');
    await database.transact(tenant, (tx) => queue.enqueue(tx, mails));
    expect(insert.mock.calls.map(([, some]) => some.length)).toEqual([2, 2, 2, 2]);
    insert.mockRestore();
    expect((await mailRows()).map(({ due }) => Number(due) - now)).toEqual(
      addresses.map((_address, index) => Math.max(0, index - 1) * 30_000),
    );
  });

  it('keep neither text nor address of the share once they were sent or refused', async () => {
    replies.set('bad@x.example', { rcpt: 550 });
    await enqueue(['bad@x.example', 'good@x.example']);
    await createDelivery().deliverDue();
    expect(await mailRows()).toEqual([
      { address: 'bad@x.example', state: 'refused', due: null, message: null, reply: '550 no' },
      { address: 'good@x.example', state: 'sent', due: null, message: null, reply: expect.stringMatching(/^250 /) },
    ]);
    expect(recipientsOf()).toEqual(['good@x.example']);
  });

  it.each([
    ['a recipient refused for now', { rcpt: 450 }],
    ['a text refused for now', { data: 451 }],
  ])('%s is tried again after growing pauses, and given up at the end of its life', async (_what, reply) => {
    replies.set('b@x.example', reply);
    await enqueue(['b@x.example', 'c@x.example']);
    for (const expected of [1_000, 2_000, 4_000]) {
      await createDelivery().deliverDue();
      const [row] = await mailRows();
      expect(row).toMatchObject({ state: 'temporary', message: expect.stringContaining('MIME-Version') });
      expect(row!.due! - now).toBeGreaterThanOrEqual(expected * 0.75);
      expect(row!.due! - now).toBeLessThanOrEqual(expected * 1.25);
      await createDelivery().deliverDue();
      expect((await mailRows())[0]).toEqual(row);
      now = row!.due!;
    }
    expect(recipientsOf()).toEqual(['c@x.example']);
    now += config.lifeMs;
    await createDelivery().deliverDue();
    expect(await states()).toEqual({ 'b@x.example': 'refused', 'c@x.example': 'sent' });
    expect((await mailRows())[0]!.message).toBeNull();
  });

  it('wait while the server cannot be reached or refuses the login, and no secret is kept of that', async () => {
    await enqueue(['b@x.example']);
    const unreachable = Object.assign(new OutgoingMailConfig(), config, { port: 1 });
    await createDelivery(unreachable).deliverDue();
    expect(await states()).toEqual({ 'b@x.example': 'temporary' });
    now += 10_000;
    await createDelivery(
      Object.assign(new OutgoingMailConfig(), config, { password: new Secret('wr0ng') }),
    ).deliverDue();
    expect((await mailRows())[0]).toMatchObject({ state: 'temporary', reply: 'mail server: credentials' });
    now += 10_000;
    await createDelivery().deliverDue();
    expect(recipientsOf()).toEqual(['b@x.example']);
  });

  it('are not sent in clear text unless the operator says so', async () => {
    await enqueue(['b@x.example']);
    await createDelivery(Object.assign(new OutgoingMailConfig(), config, { protection: 'starttls' })).deliverDue();
    expect(await states()).toEqual({ 'b@x.example': 'temporary' });
    expect(received).toEqual([]);
  });

  it('are unknown when the connection ends after the text, and never leave again', async () => {
    replies.set('b@x.example', { data: 'drop' });
    await enqueue(['b@x.example', 'c@x.example']);
    await createDelivery(Object.assign(new OutgoingMailConfig(), config, { connections: 1 })).deliverDue();
    now += HOUR;
    await createDelivery().deliverDue();
    expect(await states()).toEqual({ 'b@x.example': 'unknown', 'c@x.example': 'sent' });
    expect(recipientsOf()).toEqual(['b@x.example', 'c@x.example']);
  });

  it('are unknown when the server says nothing after the text', async () => {
    replies.set('b@x.example', { data: 'stall' });
    await enqueue(['b@x.example']);
    await createDelivery(Object.assign(new OutgoingMailConfig(), config, { timeoutMs: 300 })).deliverDue();
    expect(await states()).toEqual({ 'b@x.example': 'unknown' });
    release!();
  });

  it('are unknown when their process ends during the text, and never leave again', async () => {
    replies.set('b@x.example', { data: 'stall' });
    await enqueue(['b@x.example']);
    release = undefined;
    // It never learns of the outcome, as a process that was killed.
    const abandoned = createDelivery(Object.assign(new OutgoingMailConfig(), config, { timeoutMs: 60_000 }));
    const ended = abandoned.deliverDue();
    await until(async () => (await states())['b@x.example'] === 'transferring');
    await createDelivery().deliverDue();
    expect(await states()).toEqual({ 'b@x.example': 'transferring' });
    now += 4 * 60_000;
    await createDelivery().deliverDue();
    expect(await states()).toEqual({ 'b@x.example': 'unknown' });
    await until(() => Promise.resolve(release !== undefined));
    release!();
    await ended;
    await createDelivery().deliverDue();
    expect(recipientsOf()).toEqual(['b@x.example']);
    expect(await states()).toEqual({ 'b@x.example': 'unknown' });
  });

  it('are sent by another process when theirs ended before the text', async () => {
    await enqueue(['b@x.example']);
    const claimed = await administrate((db) => repository.claimDue(db, now, 5_000, 10));
    expect(claimed).toHaveLength(1);
    await createDelivery().deliverDue();
    expect(received).toEqual([]);
    now += 5_000;
    await createDelivery().deliverDue();
    expect(recipientsOf()).toEqual(['b@x.example']);
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => database.transact(tenant, work);
    expect(await transact((tx) => repository.beginTransfer(tx, claimed[0]!, now))).toBe(false);
    await transact((tx) => repository.finish(tx, claimed[0]!, 'refused', '', now));
    expect(await states()).toEqual({ 'b@x.example': 'sent' });
  });

  it('leave once each with several processes', async () => {
    const addresses = Array.from({ length: 60 }, (_, index) => `n${index}@x.example`);
    await enqueue(addresses);
    await Promise.all([createDelivery(), createDelivery(), createDelivery()].map((delivery) => delivery.deliverDue()));
    expect(recipientsOf()).toEqual([...addresses].sort());
    expect(new Set(Object.values(await states()))).toEqual(new Set(['sent']));
  });

  it('wait until a mail server is configured, and are not forgotten', async () => {
    const none = Object.assign(new OutgoingMailConfig(), config, { host: '' });
    await enqueue(['b@x.example'], { settings: none });
    expect(await states()).toEqual({ 'b@x.example': 'notConfigured' });
    await enqueue(['c@x.example']);
    await createDelivery(none).deliverDue();
    expect(await states()).toEqual({ 'b@x.example': 'notConfigured', 'c@x.example': 'notConfigured' });
    now += HOUR;
    await createDelivery().deliverDue();
    expect(recipientsOf()).toEqual(['b@x.example', 'c@x.example']);
  });

  it('of one context leave at its rate, after a burst of a minute', async () => {
    config = Object.assign(new OutgoingMailConfig(), config, { perMinute: 4 });
    const dueTimes = async () => (await mailRows()).map(({ due }) => due! - now);
    await enqueue(['a@x.example', 'b@x.example', 'c@x.example', 'd@x.example', 'e@x.example', 'f@x.example']);
    expect(await dueTimes()).toEqual([0, 0, 0, 0, 15_000, 30_000]);
    await createDelivery().deliverDue();
    expect(received).toHaveLength(4);
    await database.transact({ contextId: 2 }, async (tx) => {
      const queue = createQueue();
      const recipients = [{ address: 'other@x.example', locale: 'en' }];
      const values = { sender: 'X' };
      await queue.enqueue(tx, await queue.compose({ key: 'k', template: 'folderShared', values, recipients }));
    });
    now += 15_000;
    await createDelivery().deliverDue();
    expect(received).toHaveLength(6);
    expect(recipientsOf()).toContain('other@x.example');
  });

  it('of one context are not accepted when too many wait', async () => {
    config = Object.assign(new OutgoingMailConfig(), config, { maxQueued: 2 });
    await enqueue(['a@x.example', 'b@x.example']);
    await expect(enqueue(['c@x.example'], { key: 'next' })).rejects.toMatchObject({
      code: OutgoingMailErrors.queueFull(2).code,
    });
    await createDelivery().deliverDue();
    await enqueue(['c@x.example'], { key: 'next' });
  });

  it('of alarms are as many for a user within the timeframe as the property says', async () => {
    const user = { kind: 'user', enabled: true, displayName: 'A', locale: 'en_US', timeZone: 'UTC' };
    const directory = {
      getEntities: async (_tenant: unknown, [id]: readonly number[]) =>
        new Map([[id, { ...user, email: `${id}@x.test` }]]),
    };
    const limits = { [ALARM_MAIL_LIMIT.key]: '2' };
    const properties = new Properties({ call: async () => limits } as never, { [ALARM_MAIL_TIMEFRAME_MS.key]: '5000' });
    const consumer = new AlarmMailRequestedConsumer(directory as never, createQueue(), repository, clock, properties);
    const tell = async (...userIds: readonly number[]): Promise<void> => {
      const messages = userIds.map((userId) => ({
        ...{ id: randomUUID(), name: 'alarm', contextId: 1, occurredAt: now },
        payload: {
          userId,
          eventId: 1,
          alarm: now,
          summary: 'S',
          location: null,
          description: null,
          startMs: now,
          endMs: now,
        },
      })) as never as EventMessage[];
      const mails = await consumer.prepare(messages);
      await database.transact(tenant, (tx) => consumer.handleBatch(messages, tx, mails));
    };
    const addresses = async (): Promise<string[]> => (await mailRows()).map(({ address }) => address);
    await tell(7, 7, 7, 8);
    expect(await addresses()).toEqual(['7@x.test', '7@x.test', '8@x.test']);
    now += 4_999;
    await tell(7);
    expect(await addresses()).toHaveLength(3);
    now += 1;
    await tell(7);
    limits[ALARM_MAIL_LIMIT.key] = '-1';
    properties.invalidate({});
    await tell(7, 7, 7);
    expect(await addresses()).toHaveLength(7);
    limits[ALARM_MAIL_LIMIT.key] = '0';
    properties.invalidate({});
    await tell(9);
    expect(await addresses()).not.toContain('9@x.test');
  });

  it('are forgotten after their time, and with their context', async () => {
    await enqueue(['b@x.example']);
    await createDelivery().deliverDue();
    now += config.retentionMs + 1;
    await enqueue(['c@x.example'], { key: 'next' });
    await createDelivery().deliverDue();
    expect(await states()).toEqual({});
    expect(await administrate((db) => repository.count(db))).toEqual([{ state: 'sent', count: 1, oldest: now }]);
    await database.transact(tenant, (tx) => repository.removeContext(tx));
    expect(await administrate((db) => repository.count(db))).toEqual([]);
  });

  it('are tried again after pauses that double up to an hour, never the same for all', () => {
    expect([1, 2, 6].map((attempts) => computeRetryPause(attempts, 1_000, 0.5))).toEqual([1_000, 2_000, 32_000]);
    expect(computeRetryPause(100, 5_000, 1)).toBe(4_500_000);
    expect(new Set(Array.from({ length: 20 }, () => computeRetryPause(4, 1_000))).size).toBeGreaterThan(10);
  });

  it('of one context are out of reach for the others', async () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const due: DueMail = {
      contextId: 0,
      id,
      address: 'a@x.example',
      message: '',
      files: null,
      attempts: 0,
      createdAt: 0,
    };
    const mail = { id, key: 'k', address: 'a@x.example', template: 'shareLink' as const };
    const rate = { intervalMs: 1, burst: 1 };
    await expectTenantIsolation({
      database,
      fill: async (tx, { contextId }) => {
        await repository.lockAllowance(tx);
        await repository.insert(tx, [{ ...mail, message: `secret of ${contextId}` }], 'queued', 1, rate);
      },
      secrets: ({ contextId }) => [`secret of ${contextId}`],
      methods: {
        lockAllowance: (tx) => repository.lockAllowance(tx),
        countWaiting: (tx) => repository.countWaiting(tx),
        insert: (tx) => repository.insert(tx, [{ ...mail, key: 'more', message: '' }], 'queued', 9, rate),
        findStates: (tx) => repository.findStates(tx, 'k'),
        postpone: (tx) => repository.postpone(tx, due, 'later', 9),
        beginTransfer: (tx) => repository.beginTransfer(tx, due, 9),
        omitFiles: (tx) => repository.omitFiles(tx, due, 'large', 9),
        finish: (tx) => repository.finish(tx, due, 'sent', 'ok', 9),
        removeContext: (tx) => repository.removeContext(tx),
      },
    });
  });
});

describe('scheduling messages with files', () => {
  const calendar = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:u', 'END:VEVENT', 'BEGIN:VEVENT', 'UID:u', 'END:VEVENT']
    .concat('END:VCALENDAR', '')
    .join('\r\n');

  /** Attaches a file to an event; the same reference is the same content. */
  async function attach(
    id: number,
    object: number,
    content: Buffer,
    { reference, name = `${id}.bin`, contentType = 'application/pdf' }: Partial<LocatedObjectFile> = {},
  ): Promise<LocatedObjectFile> {
    const stored = await store.write(
      (async function* () {
        for (let at = 0; at < content.length; at += 50_000) yield content.subarray(at, at + 50_000);
      })(),
      { maxBytes: 100_000_000 },
    );
    const file = {
      ...{ id, object, name, contentType, sizeBytes: content.length, created: 1 },
      sha256: stored.sha256,
      reference: reference ?? stored.reference,
    };
    attached.push(file);
    return file;
  }

  async function send(filesOf: readonly (number | null)[] = [7], settings = config): Promise<void> {
    const consumer = new SchedulingRequestedConsumer(
      { getEntities: async () => new Map() } as never,
      createQueue(settings),
      createFiles(settings),
      settings,
    );
    const from = { address: 'ann@sender.example', name: 'Ann' };
    const message = {
      ...{ id: randomUUID(), name: 'scheduling.requested', contextId: 1, occurredAt: now },
      payload: {
        ...{ userId: 3, from, recipients: [{ address: 'b@x.example' }], method: 'REQUEST', calendar, filesOf },
        ...{ template: 'eventInvitation', values: { sender: 'Ann', startMs: now, endMs: now } },
      },
    } as never as EventMessage;
    const mails = await consumer.prepare([message]);
    await database.transact(tenant, (tx) => consumer.handleBatch([message], tx, mails));
  }

  /** Content of the parts of a mail by Content-ID, and the ATTACH lines of both copies of the calendar. */
  function readMail(text: string): { files: Map<string, { headers: string; bytes: Buffer }>; lines: string[][] } {
    const files = new Map<string, { headers: string; bytes: Buffer }>();
    const lines: string[][] = [];
    for (const part of text.split(/\r\n--[^\r\n]+\r\n/).slice(1)) {
      const at = part.indexOf('\r\n\r\n');
      const headers = part.slice(0, at).replace(/\r\n\s+/g, ' ');
      const bytes = Buffer.from(part.slice(at + 4), /encoding: base64/i.test(headers) ? 'base64' : 'latin1');
      const [, id] = /^Content-ID: <(.*)>\r?$/im.exec(headers) ?? [];
      if (id) files.set(id, { headers, bytes });
      else if (/^Content-Type: (?:text\/calendar|application\/ics)/im.test(headers)) {
        const unfolded = bytes.toString().replace(/\r\n /g, '').split('\r\n');
        lines.push(unfolded.filter((line) => /^(ATTACH|UID)/.test(line)));
      }
    }
    return { files, lines };
  }

  it('carry them as parts that their events name, each content once', async () => {
    const [large, small] = [randomBytes(3_000_000), Buffer.from('Grüße\nzwei')];
    const first = await attach(1, 7, large, { name: 'Plan für "Mai".pdf' });
    await attach(2, 7, small, { name: 'b.txt', contentType: 'text/plain' });
    await attach(3, 8, large, { reference: first.reference, name: 'Copy.pdf' });
    await send([7, 8]);
    const [row] = await mailRows();
    expect(row!.message!.length).toBeLessThan(10_000);
    await createDelivery().deliverDue();
    const { files, lines } = readMail(received[0]!.text);
    expect([...files.values()].map(({ bytes }) => bytes.equals(large) || bytes.equals(small))).toEqual([true, true]);
    const [one, two] = [...files.keys()];
    const expected = [
      `ATTACH;FMTTYPE=application/pdf;FILENAME=Plan für ^'Mai^'.pdf;SIZE=3000000:cid:${one}`,
      `ATTACH;FMTTYPE=text/plain;FILENAME=b.txt;SIZE=12:cid:${two}`,
      'UID:u',
      `ATTACH;FMTTYPE=application/pdf;FILENAME=Copy.pdf;SIZE=3000000:cid:${one}`,
      'UID:u',
    ];
    expect(lines).toEqual([expected, expected]);
    expect(files.get(two!)!.headers).toMatch(/^Content-Type: text\/plain; name=b\.txt/m);
    expect(files.get(two!)!.headers).toMatch(/^Content-Disposition: attachment; filename=b\.txt/m);
    expect(received[0]!.text).toMatch(/^Content-Type: multipart\/mixed;/m);
    expect(received[0]!.text).not.toContain('multipart/related');
    expect(await mailRows()).toMatchObject([{ state: 'sent', message: null }]);
  });

  it('leave without files that were detached meanwhile, and without their names', async () => {
    await attach(1, 7, Buffer.from('gone'));
    const kept = await attach(2, 7, Buffer.from('kept'));
    await send();
    attached = [kept];
    await createDelivery().deliverDue();
    const { files, lines } = readMail(received[0]!.text);
    expect([...files.values()].map(({ bytes }) => bytes.toString())).toEqual(['kept']);
    expect(lines[0]).toEqual([expect.stringMatching(/^ATTACH;.*FILENAME=2\.bin/), 'UID:u', 'UID:u']);
  });

  it('carry no more bytes than the limit; files that do not fit are left out with their names', async () => {
    const settings = Object.assign(new OutgoingMailConfig(), config, { maxFilesBytes: 10 });
    await attach(1, 7, Buffer.from('123456'));
    await attach(2, 7, Buffer.from('12345'));
    await attach(3, 7, Buffer.from('1234'));
    await send([7], settings);
    await send([7], Object.assign(new OutgoingMailConfig(), settings, { maxFilesBytes: 0 }));
    await createDelivery(settings).deliverDue();
    const [some, none] = received.map(({ text }) => readMail(text)).sort((a, b) => b.files.size - a.files.size);
    expect([...some!.files.values()].map(({ bytes }) => bytes.toString())).toEqual(['123456', '1234']);
    expect(some!.lines[0]).toHaveLength(4);
    expect(none!.lines[0]).toEqual(['UID:u', 'UID:u']);
  });

  it('without files are stored whole', async () => {
    await send([7, null]);
    expect((await mailRows())[0]!.message).toMatch(/^From: Ann/m);
    await createDelivery().deliverDue();
    expect(readMail(received[0]!.text)).toEqual({
      files: new Map(),
      lines: [
        ['UID:u', 'UID:u'],
        ['UID:u', 'UID:u'],
      ],
    });
  });

  it('wait while the bytes cannot be read, and then leave whole', async () => {
    const content = randomBytes(200_000);
    const { reference } = await attach(1, 7, content);
    const other = await attach(2, 7, Buffer.from('other'));
    await send();
    await store.remove(reference);
    await createDelivery().deliverDue();
    expect([received, await states(), (await mailRows())[0]!.state]).toEqual([[], {}, 'temporary']);
    attached = [other];
    now += HOUR;
    await createDelivery().deliverDue();
    expect([...readMail(received[0]!.text).files.values()].map(({ bytes }) => bytes.toString())).toEqual(['other']);
  });

  it('too large for the server leave without files', async () => {
    await attach(1, 7, Buffer.from('large'));
    await send();
    replies.set('b@x.example', { data: 552 });
    await createDelivery().deliverDue();
    expect(await mailRows()).toMatchObject([{ state: 'temporary' }]);
    replies.clear();
    await createDelivery().deliverDue();
    expect(readMail(received[0]!.text)).toMatchObject({
      files: new Map(),
      lines: [
        ['UID:u', 'UID:u'],
        ['UID:u', 'UID:u'],
      ],
    });
    expect(await mailRows()).toMatchObject([{ state: 'sent' }]);
  });
});
