import fs from 'node:fs';
import path from 'node:path';
import { config as openpgp, enums, generateKey } from 'openpgp';
import { Client as Database } from 'pg';
import { Mailbox } from '../admin/mailbox';
import { attachFiles, newObject } from '../attachments/attachments';
import { AdminClient } from '../client';
import { createFixtures, type Fixtures } from '../fixtures';
import { createSingleProcessWorld, type SingleProcessWorld } from '../processes';
import { HoldMonitor, LONGEST_HOLD_MS } from './event-loop';

const STARS = 'star-rating-v1';
/** More than a page of a report has, each with a comment of the greatest length. */
const ENTRIES = 2_500;
const COMMENT = 20_000;
/** As many recipients with long keys as a request may name. */
const WITH_KEYS = 8;
/** As many as one object may have. */
const ATTACHMENTS = 1_000;
const ARMOUR = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n';
const TIMEOUT_MS = 120_000;

let monitor: HoldMonitor;
let world: SingleProcessWorld;
let cast: Fixtures;
let mailbox: Mailbox;
let services: AdminClient;
/** With as many names as fit into a recipient's key. */
let reader: string;

async function insertFeedback(url: string): Promise<void> {
  const database = new Database({ connectionString: url });
  await database.connect();
  await database.query(
    `insert into admin.feedback (context_group, type, date, context_id, user_id, server_version, content)
     select 'default', $1, 1700000000000 + i, 1, i, '1', json_build_object('score', '3', 'comment', repeat('"=é', $3 / 3))
     from generate_series(1, $2::int) i`,
    [STARS, ENTRIES, COMMENT],
  );
  await database.end();
}

async function writeSigningKey(file: string): Promise<void> {
  const { privateKey } = await generateKey({
    userIDs: [{ name: 'Signer' }],
    passphrase: 'key secret',
    format: 'armored',
    // The dearest way to get at a key that the standard has (RFC 9580, section 3.7.1.4).
    config: { ...openpgp, s2kType: enums.s2k.argon2, aeadProtect: true },
  });
  fs.writeFileSync(file, privateKey);
}

beforeAll(async () => {
  mailbox = new Mailbox();
  const port = await mailbox.start();
  const folder = path.dirname(mailbox.caFile);
  const properties = {
    'com.example.userfeedback.smtp.hostname': '127.0.0.1',
    'com.example.userfeedback.smtp.port': port,
    'com.example.userfeedback.smtp.username': 'reporter',
    'com.example.userfeedback.smtp.password': 'smtp secret',
    'com.example.userfeedback.mail.senderAddress': 'reports@operator.example',
    'com.example.userfeedback.pgp.signKeyFile': path.join(folder, 'sign.asc'),
    'com.example.userfeedback.pgp.signKeyPassword': 'key secret',
    'com.example.userfeedback.retentionDays': '0',
  };
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  fs.writeFileSync(path.join(folder, 'server.properties'), lines.join(''));
  await writeSigningKey(path.join(folder, 'sign.asc'));
  const userIDs = Array.from({ length: 350 }, (_none, index) => ({ name: `Reader ${index}` }));
  reader = (await generateKey({ userIDs, format: 'armored' })).publicKey;
  monitor = await HoldMonitor.prepare();
  world = await createSingleProcessWorld({
    GATEWAY_MAX_REST_BODY_BYTES: '10000000',
    GROUPWARE_PROPERTIES_FILE: path.join(folder, 'server.properties'),
    GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
    GROUPWARE_OUTBOUND_CA_FILE: mailbox.caFile,
    MAIL_PORTS: '1024-65535',
    GROUPWARE_TEST: 'false',
    ...monitor.variables,
  });
  cast = await createFixtures(world);
  services = new AdminClient(world.internalUrl, world.service.login, world.service.password);
  await insertFeedback(world.environment.DATABASE_URL!);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await mailbox?.close();
}, 60_000);

/** The length of an answer that must be a success. */
async function lengthOf(answer: Response): Promise<number> {
  expect(answer.status).toBe(200);
  let length = 0;
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) length += piece.length;
  return length;
}

const basic = (): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${services.login}:${services.password}`).toString('base64')}`,
});

const exported = (form: string) => async () => {
  const url = `${world.internalUrl}/userfeedback/v1/export/default/${STARS}${form}`;
  expect(await lengthOf(await fetch(url, { headers: basic() }))).toBeGreaterThan(ENTRIES * COMMENT);
};

const sent = (count: number, compress: boolean, pgpKey?: () => string) => async () => {
  const recipients = Array.from({ length: count }, (_none, index) => ({
    address: `reader-${index}@report.example`,
    ...(pgpKey ? { pgp_key: pgpKey() } : {}),
  }));
  // The last ones only: each recipient has a mail of its own.
  const range = `start=${1700000000000 + ENTRIES - 20}`;
  const report = { recipients, compress, body: 'Text\n'.repeat(2_000) };
  const { status, body } = await services.request('POST', `/userfeedback/v1/send/default/${STARS}?${range}`, report);
  mailbox.take();
  return { status, body };
};

const expectShort = async (work: () => Promise<unknown>): Promise<void> =>
  expect(await monitor.holdOf(work)).toBeLessThanOrEqual(LONGEST_HOLD_MS);

describe('the event loop is not held', () => {
  it.each([
    ['as objects', '/raw'],
    ['as a table', ''],
  ])('by a report of many long entries %s', (_name, form) => expectShort(exported(form)), TIMEOUT_MS);

  it.each([
    ['signed for many', 100, undefined, 'sign'],
    ['signed for many, and encrypted for keys with many names', WITH_KEYS, () => reader, 'pgp'],
  ] as const)(
    'by a report that is %s',
    (_name, count, pgpKey, kind) =>
      expectShort(async () => {
        const { status, body } = await sent(count, true, pgpKey)();
        expect([status, (body as Record<string, string[]>)[kind]?.length]).toEqual([200, count]);
      }),
    TIMEOUT_MS,
  );

  it(
    'by keys of recipients that are none',
    () =>
      expectShort(async () => {
        const { body } = await sent(WITH_KEYS, false, () => `${ARMOUR}${'A: b\n'.repeat(19_000)}`)();
        expect(body).toMatchObject({ code: 'FEEDBACK-0011' });
      }),
    TIMEOUT_MS,
  );

  it(
    'by an archive of as many files of one name as an object may have',
    async () => {
      const target = await newObject(cast.U1);
      const name = `${'a'.repeat(200)}.txt`;
      const files = Array.from({ length: 100 }, () => ({ name, content: 'content' }));
      const ids: number[] = [];
      while (ids.length < ATTACHMENTS) ids.push(...(await attachFiles(cast.U1, target, files)));
      await expectShort(async () => {
        const query = { action: 'zipDocuments', session: cast.U1.session, ...target };
        const answer = await cast.U1.fetch('PUT', '/attachment', query, { body: JSON.stringify(ids) });
        expect(await lengthOf(answer)).toBeGreaterThan(ATTACHMENTS * 2 * name.length);
      });
    },
    TIMEOUT_MS,
  );
});
