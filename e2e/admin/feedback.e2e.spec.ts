import fs from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { until } from '@groupware/test-kit';
import {
  createMessage,
  decrypt,
  generateKey,
  readKey,
  readMessage,
  readPrivateKey,
  readSignature,
  verify,
} from 'openpgp';
import { Client as Database } from 'pg';
import type { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { Mailbox, parseEntity, type Mail } from './mailbox';
import { ADMIN_MODULES, callersOf, newContext, newPerson, type Person } from './people';

let world: TestEnvironment;
let master: AdminClient;
let services: AdminClient;
let contextId: number;
let ann: Person;
/** Of a context of the group `acme`. */
let bob: Person;
let mailbox: Mailbox;
let reader: { publicKey: string; privateKey: string };
let signer: { publicKey: string; privateKey: string };
const STARS = 'star-rating-v1';
const COLUMNS =
  'Date;Score;Comment;App;Entry Point;Operating System;Browser;Browser Version;User Agent;Screen Resolution;Language;User;Server Version;Client Version';

beforeAll(async () => {
  mailbox = new Mailbox();
  const [port, ...keys] = await Promise.all([
    mailbox.start(),
    ...['Reader', 'Signer'].map((name) =>
      generateKey({ userIDs: [{ name }], passphrase: name === 'Signer' ? 'key secret' : undefined, format: 'armored' }),
    ),
  ]);
  [reader, signer] = [keys[0]!, keys[1]!];
  world = await startTestEnvironment({
    modules: ADMIN_MODULES,
    variables: {
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
      GROUPWARE_OUTBOUND_CA_FILE: mailbox.caFile,
      GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0',
      MAIL_PORTS: '1024-65535',
      MAIL_BREAKER_FAILURES: '100000',
    },
    properties: {
      'com.example.userfeedback.globalDatabases': 'default, acme, nowhere=missing',
      'com.example.userfeedback.retentionDays': '0',
      'com.example.userfeedback.smtp.hostname': '127.0.0.1',
      'com.example.userfeedback.smtp.port': String(port),
      'com.example.userfeedback.smtp.username': 'reporter',
      'com.example.userfeedback.smtp.password': 'smtp secret',
      'com.example.userfeedback.mail.senderName': 'Käthe "Reports"',
      'com.example.userfeedback.mail.senderAddress': 'reports@operator.example',
      'com.example.userfeedback.mail.exportPrefix': 'fee/dback',
      'com.example.userfeedback.mail.maxBytes': '60000',
    },
  });
  ({ master, services } = callersOf(world));
  contextId = await withFeedback();
  ann = await newPerson(world, master, contextId, 'ann');
  const other = await withFeedback({ 'com.example.context.group': 'acme' });
  bob = await newPerson(world, master, other, 'bob');
}, 120_000);
afterAll(async () => {
  await world?.close();
  await mailbox?.close();
});
beforeEach(async () => {
  for (const group of ['default', 'acme'])
    for (const type of [STARS, 'nps-v1']) await services.expect('DELETE', `/userfeedback/v1/${group}/${type}`);
  mailbox.take();
});

/** A context whose users may give feedback. */
async function withFeedback(properties: Record<string, string> = {}): Promise<number> {
  const id = await newContext(master);
  for (const [key, value] of Object.entries({ 'com.example.capability.feedback': 'true', ...properties }))
    await master.expect('PUT', `/admin/v1/contexts/${id}/config/${key}`, { value });
  return id;
}
const store = (person: Person, body: unknown, type = STARS) => person.put('userfeedback', 'store', { type }, body);
const raw = (query = '', group = 'default', type = STARS) =>
  services.request('GET', `/userfeedback/v1/export/${group}/${type}/raw${query}`);
const csv = async (query = ''): Promise<Response> =>
  fetch(`${world.internalUrl}/userfeedback/v1/export/default/${STARS}${query}`, {
    headers: { authorization: `Basic ${Buffer.from(`${services.login}:${services.password}`).toString('base64')}` },
  });
const send = (body: unknown, query = '') =>
  services.request('POST', `/userfeedback/v1/send/default/${STARS}${query}`, body);
const everyOperation = (path: string, query: string) => [
  ['GET', `/userfeedback/v1/export/${path}/raw${query}`] as const,
  ['GET', `/userfeedback/v1/export/${path}${query}`] as const,
  ['POST', `/userfeedback/v1/send/${path}${query}`] as const,
  ['DELETE', `/userfeedback/v1/${path}${query}`] as const,
];
async function sql(text: string, params: unknown[] = []): Promise<any[]> {
  const database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  try {
    return (await database.query(text, params)).rows;
  } finally {
    await database.end();
  }
}

describe('feedback of users', () => {
  it('PO-06: is refused when it is not valid', async () => {
    expect((await store(ann, { score: 3 }, 'smiley-v1')).code).toBe('FEEDBACK-0003');
    expect((await store(ann, { score: 0 })).code).toBe('FEEDBACK-0004');
    for (const score of [6, 9, -1]) expect((await store(ann, { score })).code).toBe('SVL-0010');
    expect((await store(ann, [])).code).toBe('SVL-0028');
    expect((await ann.put('userfeedback', 'store', {}, { score: 1 })).code).toBe('SVL-0002');
    expect((await raw()).body).toEqual([]);
  });

  it('PO-06: needs the capability', async () => {
    const other = await newContext(master);
    await master.expect('PUT', `/admin/v1/contexts/${other}/config/com.example.capability.feedback`, {
      value: 'false',
    });
    const eve = await newPerson(world, master, other, 'eve');
    expect((await store(eve, { score: 3 })).code).toBe('SVL-0016');
  });

  it('has no home in a group without a database', async () => {
    const other = await withFeedback({ 'com.example.context.group': 'nowhere' });
    const eve = await newPerson(world, master, other, 'eve');
    expect((await store(eve, { score: 3 })).code).toBe('FEEDBACK-0005');
    for (const [method, path] of everyOperation(`nowhere/${STARS}`, ''))
      expect(
        await services.request(
          method,
          path,
          method === 'POST' ? { recipients: [{ address: 'a@b.example' }] } : undefined,
        ),
      ).toMatchObject({
        status: 500,
        body: { code: 'FEEDBACK-0005' },
      });
  });
});

describe('feedback reports', () => {
  it('RX-07: are objects with lower-case keys and texts as values', async () => {
    for (const [index, comment] of ['one', 'two', 'x'.repeat(20_001)].entries())
      expect(
        (await store(ann, { SCORE: index + 3, Comment: comment, browser: 'Fox', secret: 1 })).error,
      ).toBeUndefined();
    const { status, body, headers } = await raw();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toHaveLength(3);
    expect(body[0]).toEqual({
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      score: '3',
      comment: 'one',
      app: '',
      entry_point: '',
      operating_system: '',
      browser: 'Fox',
      browser_version: '',
      user_agent: '',
      screen_resolution: '',
      language: '',
      user: expect.stringMatching(/^[0-9a-f]{32}$/),
      server_version: expect.stringMatching(/^\d+\.\d+/),
      client_version: '',
    });
    expect(body[2].comment).toBe(`${'x'.repeat(19_996)} ...`);
    expect(body.map(({ score }: { score: string }) => score)).toEqual(['3', '4', '5']);
  });

  it('RX-08: are CSV with the column names first', async () => {
    await store(ann, { score: 3, comment: '=HYPERLINK("http://x")|a', app: 'mail\nclient' });
    await store(ann, { score: 4, comment: 'Grüße 😀' });
    await store(ann, { score: 5 });
    const response = await csv('?delimiter=;');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/octet-stream/);
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="fee_dback-\d{4}-\d\d-\d\dT[\d-]+\.csv"$/,
    );
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const text = bytes.subarray(3).toString();
    expect(text.endsWith('\r\n')).toBe(true);
    const lines = text.trimEnd().split(/\r\n(?=")/);
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe(
      COLUMNS.split(';')
        .map((title) => `"${title}"`)
        .join(';'),
    );
    expect(lines[1]).toContain(`;"3";"'=HYPERLINK('http://x')\\|a";"mail\r\nclient";`);
    expect(lines[2]).toContain(';"4";"Grüße 😀";"";');
    expect((await (await csv('?delimiter=%2Canything')).text()).split('\r\n')[0]).toContain('"Date","Score"');
    expect((await (await csv('?delimiter=')).text()).split('\r\n')[0]).toContain('"Date";"Score"');
    for (const delimiter of ['%22', '%0A', '%00'])
      expect(await (await csv(`?delimiter=${delimiter}`)).json()).toMatchObject({ code: 'FEEDBACK-0006' });
  });

  it('RX-09: keep to a range whose ends are outside of it', async () => {
    for (let place = 1; place <= 9; place++) await store(ann, { score: 3, app: place });
    // Dates that the test knows: 10, 20 … 90.
    await sql('update admin.feedback set date = 10 * (content::json->>$1)::int where context_group = $2', [
      'app',
      'default',
    ]);
    const places = async (query: string) => (await raw(query)).body.map(({ app }: { app: string }) => Number(app));
    expect(await places('?start=30&end=70')).toEqual([4, 5, 6]);
    for (const query of ['', '?start=0&end=0', '?start=9', '?end=91']) expect(await places(query)).toHaveLength(9);
    expect(await places('?start=70')).toEqual([8, 9]);
    expect(await places('?end=30')).toEqual([1, 2]);
    expect(await services.request('DELETE', `/userfeedback/v1/default/${STARS}?start=30&end=70`)).toMatchObject({
      status: 200,
      body: { successful: 'true', type: STARS, contextGroup: 'default', start: 30, end: 70 },
    });
    expect(await places('')).toEqual([1, 2, 3, 7, 8, 9]);
    expect((await services.request('DELETE', `/userfeedback/v1/default/${STARS}`)).body).toEqual({
      successful: 'true',
      type: STARS,
      contextGroup: 'default',
    });
    expect(await places('')).toEqual([]);
  });

  it.each(['?start=-1', '?end=-1', '?start=20&end=10', '?start=word', '?end=99999999999999999'])(
    'RX-10: refuse the range %s',
    async (query) => {
      for (const [method, path] of everyOperation(`default/${STARS}`, query)) {
        const body = method === 'POST' ? { recipients: [{ address: 'a@b.example' }] } : undefined;
        expect(await services.request(method, path, body)).toMatchObject({
          status: 400,
          body: { code: 'FEEDBACK-0006' },
        });
      }
    },
  );

  it('RX-11: know no other types and groups', async () => {
    const body = { recipients: [{ address: 'a@b.example' }] };
    for (const [path, code] of [
      ['default/smiley-v1', 'FEEDBACK-0003'],
      [`nobody/${STARS}`, 'FEEDBACK-0012'],
    ] as const)
      for (const [method, url] of everyOperation(path, ''))
        expect(await services.request(method, url, method === 'POST' ? body : undefined)).toMatchObject({
          status: 404,
          body: { code },
        });
  });

  it('are for cooperating services only', async () => {
    for (const [method, path] of everyOperation(`default/${STARS}`, ''))
      expect((await master.request(method, path, method === 'POST' ? {} : undefined)).status).toBe(401);
  });

  it('keep types and groups apart', async () => {
    await store(ann, { score: 3 });
    await store(ann, { score: 9, questionId: '2' }, 'nps-v1');
    await store(bob, { score: 5 });
    expect((await raw()).body).toMatchObject([{ score: '3' }]);
    expect((await raw('', 'default', 'nps-v1')).body).toMatchObject([{ score: '9', questionid: '2' }]);
    expect((await raw('', 'acme')).body).toMatchObject([{ score: '5' }]);
  });

  it('stay when the user is deleted, without him', async () => {
    const zoe = await newPerson(world, master, contextId, 'zoe');
    await store(zoe, { score: 2, comment: 'bye' });
    expect((await raw()).body[0].user).toMatch(/^[0-9a-f]{32}$/);
    await master.expect('DELETE', `/admin/v1/contexts/${contextId}/users/${zoe.userId}`);
    await until(async () => (await raw()).body[0].user === '', 20_000);
    expect((await raw()).body).toMatchObject([{ score: '2', comment: 'bye' }]);
    expect(
      await sql('select context_id, user_id, login from admin.feedback where context_group = $1', ['default']),
    ).toEqual([{ context_id: null, user_id: null, login: null }]);
  });
});

describe('a large export', () => {
  const ENTRIES = Number(process.env.FEEDBACK_ENTRIES ?? 5_000);
  const MB = 1024 * 1024;
  /** Most growth of the process in the course of an export: some pages of entries. */
  const GROWTH_BYTES = 48 * MB;
  /** So often the memory is looked at. */
  const LOOKS = 8;
  /** Collecting garbage once may leave what is being written just then. */
  const COLLECTIONS = 3;
  const TIMEOUT_MS = Math.max(600_000, ENTRIES * 2);
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  /** Bytes in use, garbage apart. */
  const inUse = async (): Promise<number> => {
    const looks: number[] = [];
    for (let look = 0; look < COLLECTIONS; look++) {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      looks.push(heapUsed + external);
      await new Promise(setImmediate);
    }
    return Math.min(...looks);
  };

  it(
    'streams every entry once, in memory that does not grow with it',
    async () => {
      // Three entries have each date: pages end between them.
      await sql(
        `insert into admin.feedback (context_group, type, date, context_id, user_id, server_version, content)
       select 'default', $1, 1700000000000 + i / 3, 1, i, '1', json_build_object('score', '3', 'comment', i || repeat(' comment', 40))
       from generate_series(1, $2::int) i`,
        [STARS, ENTRIES],
      );
      const authorization = `Basic ${Buffer.from(`${services.login}:${services.password}`).toString('base64')}`;
      for (const path of ['/raw', '']) {
        const started = performance.now();
        const memory: number[] = [];
        let bytes = 0;
        let rest = '';
        let next = 1;
        const response = await fetch(`${world.internalUrl}/userfeedback/v1/export/default/${STARS}${path}`, {
          headers: { authorization },
        });
        for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
          bytes += piece.length;
          rest += Buffer.from(piece).toString('latin1');
          let end = 0;
          for (const match of rest.matchAll(/"(\d+) comment/g)) {
            if (Number(match[1]) !== next) throw new Error(`entry ${match[1]} where ${next} was due`);
            next += 1;
            end = match.index + match[0].length;
          }
          rest = rest.slice(Math.max(end, rest.length - 64));
          while (memory.length < LOOKS && next > (memory.length * ENTRIES) / LOOKS) memory.push(await inUse());
        }
        const growth = Math.max(...memory) - memory[0]!;
        if (process.env.FEEDBACK_ENTRIES)
          console.info(
            `${path || '/csv'}: ${ENTRIES} entries, ${Math.round(bytes / MB)} MB, ${Math.round(performance.now() - started)} ms, ` +
              `in use ${memory.map((each) => Math.round(each / MB)).join(' ')} MB`,
          );
        expect(next - 1).toBe(ENTRIES);
        expect(bytes).toBeGreaterThan(ENTRIES * 320);
        expect(growth).toBeLessThan(GROWTH_BYTES);
      }
    },
    TIMEOUT_MS,
  );
});

describe('feedback by mail', () => {
  const attachment = (mail: Mail) => mail.parts.at(-1)!;
  const ANNA = { address: 'anna@report.example', displayName: 'Änna "A" <x@y>\r\nBcc: z@z.example' };

  it('RX-12: is not sent to invalid addresses', async () => {
    for (const recipients of [[{ address: 'broken' }], [{ address: 'a@b' }, { address: 'x y@b.example' }], []]) {
      const { status, body } = await send({ recipients });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'FEEDBACK-0008' });
      expect(body.error_desc).toContain('addresses are invalid');
    }
    expect((await send({})).body.code).toBe('SVL-0002');
    expect((await send({ recipients: 'x' })).status).toBe(400);
    const many = Array.from({ length: 101 }, (_each, index) => ({ address: `a${index}@b.example` }));
    expect((await send({ recipients: many })).body.code).toBe('SVL-0031');
    expect(mailbox.take()).toEqual([]);
  });

  it('RX-13: has a subject and an attachment without being told', async () => {
    await store(ann, { score: 3, comment: 'fine' });
    expect(await send({ recipients: [ANNA] })).toMatchObject({
      status: 200,
      body: { normal: ['anna@report.example'] },
    });
    const [mail] = mailbox.take();
    expect(mail).toMatchObject({ from: 'reports@operator.example', to: ['anna@report.example'], isSecure: true });
    expect(mail!.headers.subject).toBe('User Feedback Report');
    expect(mail!.headers).not.toHaveProperty('bcc');
    expect(mail!.headers.from).toMatch(/^=\?UTF-8\?B\?.*\?= <reports@operator\.example>$/);
    expect(mail!.parts).toHaveLength(2);
    expect(mail!.parts[0]!.body.toString()).toBe('');
    expect(attachment(mail!).headers['content-disposition']).toMatch(/^attachment; filename="fee_dback-.*\.csv"$/);
    expect(attachment(mail!).body.toString()).toBe(await (await csv()).text().then((text) => `\uFEFF${text}`));
  });

  it('has the subject and text of the request, the range, and a compressed attachment', async () => {
    await store(ann, { score: 3, comment: 'fine' });
    await send(
      { recipients: [ANNA], subject: 'Grüße\r\nBcc: a@b.example', body: 'Hallo,\nÄ', compress: true },
      '?start=1',
    );
    await send({ recipients: [ANNA] }, `?start=${Date.UTC(2026, 0, 2)}&end=${Date.UTC(2099, 11, 31)}`);
    await send({ recipients: [ANNA] }, `?end=2`);
    const [first, second, third] = mailbox.take();
    const encoded = [...first!.headers.subject!.matchAll(/=\?UTF-8\?B\?([^?]*)\?=/g)].map(([, word]) =>
      Buffer.from(word!, 'base64').toString(),
    );
    expect(`${encoded.join('')}${first!.headers.subject!.replace(/=\?.*\?=/, '')}`).toBe('Grüße Bcc: a@b.example');
    expect(first!.headers).not.toHaveProperty('bcc');
    expect(first!.parts[0]!.body.toString()).toBe('Hallo,\r\nÄ');
    expect(attachment(first!).headers['content-type']).toMatch(/^application\/gzip; name=".*\.csv\.gz"$/);
    expect(gunzipSync(attachment(first!).body).toString()).toContain('"fine"');
    expect(second!.headers.subject).toBe('User Feedback Report from 2026-01-02 to 2099-12-31');
    expect(third!.headers.subject).toBe('User Feedback Report to 1970-01-01');
    expect(attachment(third!).body.toString().trimEnd().split('\r\n')).toHaveLength(1);
  });

  it('goes to everybody who can get it, each alone, and tells who cannot', async () => {
    mailbox.refused.add('gone@report.example');
    const answer = await send({
      recipients: [
        { address: 'gone@report.example' },
        { address: 'broken' },
        ANNA,
        { address: 'bert@report.example', pgp_key: 'no key' },
        { address: 'ANNA@report.example' },
        { address: 'carl@report.example', pgp_key: reader.publicKey },
      ],
    });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      normal: ['ANNA@report.example'],
      encrypt: ['carl@report.example'],
      fail: ['broken', 'gone@report.example'],
      pgpFail: ['bert@report.example'],
    });
    expect(mailbox.take().map(({ to }) => to)).toEqual([['ANNA@report.example'], ['carl@report.example']]);
    const none = await send({ recipients: [{ address: 'bert@report.example', pgp_key: 'no key' }] });
    expect(none).toMatchObject({ status: 400, body: { code: 'FEEDBACK-0011' } });
  });

  it('is encrypted for those who have a key', async () => {
    await store(ann, { score: 3, comment: 'secret comment' });
    await send({ recipients: [{ address: 'carl@report.example', pgp_key: reader.publicKey }] });
    const [mail] = mailbox.take();
    expect(mail!.raw).not.toContain(Buffer.from('secret comment').toString('base64').slice(4, 12));
    expect(mail!.headers['content-type']).toContain('multipart/encrypted; protocol="application/pgp-encrypted"');
    expect(mail!.parts[0]!.body.toString().trim()).toBe('Version: 1');
    const { data } = await decrypt({
      message: await readMessage({ armoredMessage: mail!.parts[1]!.body.toString() }),
      decryptionKeys: await readPrivateKey({ armoredKey: reader.privateKey }),
      format: 'binary',
    });
    const inner = parseEntity(Buffer.from(data as Uint8Array).toString('latin1'));
    expect(inner.parts[1]!.body.toString()).toContain('"secret comment"');
  });

  it('is refused when it is too large, or compressed instead', async () => {
    for (let index = 0; index < 4; index++) await store(ann, { score: 1, comment: 'x'.repeat(19_000) });
    expect(await send({ recipients: [ANNA] })).toMatchObject({ status: 400, body: { code: 'FEEDBACK-0013' } });
    expect((await send({ recipients: [ANNA], compress: true })).status).toBe(200);
    const [mail] = mailbox.take();
    expect(gunzipSync(attachment(mail!).body).length).toBeGreaterThan(70_000);
  });

  describe('with another configuration', () => {
    const original = () => fs.readFileSync(world.environment.GROUPWARE_PROPERTIES_FILE!, 'utf8');
    /** Runs with other server values; other worlds of this process would see nothing of it. */
    async function configured(
      values: Record<string, string>,
      work: (client: AdminClient) => Promise<void>,
    ): Promise<void> {
      const properties = Object.fromEntries(
        original()
          .split('\n')
          .filter((line) => line.includes('='))
          .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      const variables = Object.fromEntries(
        Object.entries(world.environment).filter(([name]) => /^(GROUPWARE_OUTBOUND|MAIL_)/.test(name)),
      );
      const other = await startTestEnvironment({
        modules: ADMIN_MODULES,
        variables,
        properties: { ...properties, ...values },
      });
      try {
        await work(callersOf(other).services);
      } finally {
        await other.close();
      }
    }
    const path = `/userfeedback/v1/send/default/${STARS}`;

    it('is signed, so that everybody can check it', async () => {
      const file = `${world.environment.DATA_DIR}/sign.asc`;
      fs.writeFileSync(file, signer.privateKey);
      const keys = {
        'com.example.userfeedback.pgp.signKeyFile': file,
        'com.example.userfeedback.pgp.signKeyPassword': 'key secret',
      };
      await configured(keys, async (client) => {
        const recipients = [
          { address: 'anna@report.example' },
          { address: 'carl@report.example', pgp_key: reader.publicKey },
        ];
        expect(await client.request('POST', path, { recipients, body: 'Signed\ntext' })).toMatchObject({
          status: 200,
          body: { sign: ['anna@report.example'], pgp: ['carl@report.example'] },
        });
      });
      const [signed, both] = mailbox.take();
      const verificationKeys = await readKey({ armoredKey: signer.publicKey });
      const [entity, signature] = signed!.parts;
      expect(signed!.headers['content-type']).toContain('multipart/signed; micalg=pgp-sha512');
      const checked = await verify({
        message: await createMessage({ binary: Buffer.from(entity!.raw, 'latin1') }),
        signature: await readSignature({ armoredSignature: signature!.body.toString() }),
        verificationKeys,
      });
      expect(await checked.signatures[0]!.verified).toBe(true);
      const packet = (await checked.signatures[0]!.signature).packets[0]!;
      expect(packet.hashAlgorithm).toBe(10);
      const opened = await decrypt({
        message: await readMessage({ armoredMessage: both!.parts[1]!.body.toString() }),
        decryptionKeys: await readPrivateKey({ armoredKey: reader.privateKey }),
        verificationKeys,
        expectSigned: true,
        format: 'binary',
      });
      expect(await opened.signatures[0]!.verified).toBe(true);
    });

    it('is not sent when key, server or sender are wrong', async () => {
      const file = `${world.environment.DATA_DIR}/sign.asc`;
      fs.writeFileSync(file, signer.privateKey);
      const cases: [Record<string, string>, string][] = [
        [{ 'pgp.signKeyFile': file, 'pgp.signKeyPassword': 'wrong' }, 'FEEDBACK-0010'],
        [{ 'smtp.password': 'wrong' }, 'FEEDBACK-0007'],
      ];
      for (const [values, code] of cases)
        await configured(
          Object.fromEntries(Object.entries(values).map(([key, value]) => [`com.example.userfeedback.${key}`, value])),
          async (client) => {
            const answer = await client.request('POST', path, { recipients: [{ address: 'anna@report.example' }] });
            expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 500, code });
            expect(JSON.stringify(answer.body)).not.toContain('smtp secret');
          },
        );
      expect(mailbox.take()).toEqual([]);
    });
  });
});
