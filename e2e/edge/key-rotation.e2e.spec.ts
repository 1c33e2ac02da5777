import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { SealedText } from '@groupware/sessions';
import { generate } from 'otplib';
import { Client as Database } from 'pg';
import { AdminClient, Client } from '../client';
import { startDavServer, type DavServer } from '../files/dav-server';
import { folderOf, WEBDAV } from '../files/storages';
import { createFixtures, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { createSingleProcessWorld, HostProcess, type SingleProcessWorld } from '../processes';
import { keepOutOfLogs } from '../secrets';

const OLD = Buffer.alloc(32, 7); // the one of every world
const NEW = Buffer.alloc(32, 8);
const CALENDAR = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:x',
  'BEGIN:VEVENT',
  'UID:a',
  'DTSTART:20310601T100000Z',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

let dav: DavServer;
let feeds: Server;
let world: SingleProcessWorld;
let cast: Fixtures;
let database: Database;
let running: HostProcess;
let link: string;
let shared: string;
const PIN = 'pin of a link';
let sharedSecret: string;
/** Paths that were asked for at the server of calendars. */
const asked: string[] = [];

const text = (keys: readonly Buffer[]): string => keys.map((key) => key.toString('base64')).join(',');
const idOf = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 8);

/** Starts the product anew, with other keys. */
async function restart(...keys: readonly Buffer[]): Promise<void> {
  await running.kill('SIGTERM');
  const ports = { PORT: new URL(world.publicUrl).port, INTERNAL_PORT: new URL(world.internalUrl).port };
  running = new HostProcess('all', { ...world.environment, ...ports, GROUPWARE_SECRET_KEY: text(keys) });
  await running.start();
}

/** Columns of all tables, in which texts are sealed with a key. */
async function columnsSealedWith(key: Buffer): Promise<string[]> {
  const { rows } = await database.query<{ place: string; sql: string }>(
    `select table_schema || '.' || table_name || '.' || column_name as place,
            format('select count(*)::int as n from %I.%I where %I::text ~ $1', table_schema, table_name, column_name) as sql
     from information_schema.columns join information_schema.tables using (table_catalog, table_schema, table_name)
     where table_type = 'BASE TABLE' and data_type in ('text', 'jsonb', 'json', 'ARRAY')
       and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const found: string[] = [];
  for (const { place, sql } of rows) {
    const { rows: counted } = await database.query<{ n: number }>(sql, [`(^|[^0-9a-f])${idOf(key)}\\.`]);
    if (counted[0]!.n > 0) found.push(place);
  }
  return found;
}

const logIn = async (user: TestUser): Promise<Client> => {
  const client = new Client(world.publicUrl);
  const answer = await client.login(user.loginName, PASSWORD);
  client.session = answer.session as string;
  return client;
};

beforeAll(async () => {
  dav = await startDavServer();
  feeds = createServer((request, response) => {
    asked.push(request.url!);
    response.writeHead(200, { 'content-type': 'text/calendar' }).end(CALENDAR);
  });
  await new Promise<void>((resolve) => feeds.listen(0, '127.0.0.1', resolve));
  world = await createSingleProcessWorld({
    GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
    GROUPWARE_OUTBOUND_WEB_PORTS: '1024-65535',
    GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0',
  });
  running = world.process;
  const properties = path.join(world.environment.DATA_DIR!, 'server.properties');
  fs.writeFileSync(
    properties,
    'com.example.file.storage.webdav.enabled=true\ncom.example.file.storage.webdav.allowPlain=true\n',
  );
  (world.environment as Record<string, string>).GROUPWARE_PROPERTIES_FILE = properties;
  keepOutOfLogs(text([NEW]));
  await restart(OLD);
  cast = await createFixtures(world);
  database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
}, 180_000);
afterAll(async () => {
  await database?.end();
  await running?.kill('SIGTERM');
  await world?.close();
  await dav?.close();
  feeds?.closeAllConnections();
  feeds?.close();
}, 60_000);

/** Has the user and the operator store one secret of every kind. */
async function storeSecrets(): Promise<void> {
  const { U1: user } = cast;
  const account = await user.put(
    'account',
    'new',
    {},
    {
      ...{ name: 'Work', login: 'ann', password: 'password of the account', mail_url: 'imap://mail.test.invalid' },
      ...{ transport_url: 'smtp://mail.test.invalid', transport_auth: 'custom', transport_login: 'ann' },
      ...{ transport_password: 'password of the way out', primary_address: 'ann@test.invalid' },
    },
  );
  expect(account.data).toMatchObject({ id: expect.any(Number) });
  const calendar = await user.put(
    'folders',
    'new',
    { tree: '0', folder_id: '1' },
    {
      folder: {
        module: 'event',
        'com.openexchange.calendar.provider': 'ical',
        'com.openexchange.calendar.config': {
          uri: `http://127.0.0.1:${(feeds.address() as AddressInfo).port}/secret-address.ics`,
        },
      },
    },
  );
  expect(calendar.data).toEqual(expect.any(String));
  const configuration = { url: dav.url, login: dav.login, password: dav.password };
  const storage = await user.put('fileaccount', 'new', {}, { filestorageService: WEBDAV, configuration });
  expect(storage.data).toEqual(expect.any(String));
  const folder = await user.put('folders', 'new', { folder_id: '1' }, { module: 'calendar', title: 'Shared' });
  const made = await user.put('share/management', 'getLink', {}, { module: 'calendar', folder: folder.data });
  link = new URL(made.data.url).pathname;
  const change = { module: 'calendar', folder: folder.data, password: PIN };
  await user.put('share/management', 'updateLink', { timestamp: made.timestamp! }, change);
  shared = folder.data;
  const start = await user.put('multifactor/device', 'startRegistration', {}, { providerName: 'TOTP' });
  const { deviceId, challenge } = start.data;
  sharedSecret = challenge.sharedSecret;
  keepOutOfLogs(sharedSecret, link.split('/').at(-2));
  const secret_code = await generate({ secret: sharedSecret });
  await user.put('multifactor/device', 'finishRegistration', { providerName: 'TOTP', deviceId }, { secret_code });
  const token = JSON.stringify({ url: 'https://hooks.test.invalid/a', secret: 'secret of the webhook' });
  const hook = await cast.U2.put('pns', 'subscribe', {}, { token, transport: 'webhook', topics: ['ox:mail:*'] });
  expect(hook.data).toEqual({ success: true });
  await cast.U2.get('pns', 'webPushKey');
  const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  await master.expect('POST', '/admin/v1/filestores', { uri: 's3://key1:secret-of-s3@bucket/prefix' });
  // A flow through a provider makes these: e2e/sso.
  const sealed = new SealedText([OLD], 'oauth-account').seal(
    JSON.stringify({ identity: 'ann', access: 'a token' }),
    `${cast.contextId}/${user.userId}/1`,
  );
  await database.query(
    `insert into sso.oauth_account (context_id, user_id, id, service, display_name, scopes, sealed, is_ended, created_at)
     values ($1, $2, 1, 'work', 'Work', '{mail}', $3, false, 0)`,
    [cast.contextId, user.userId, sealed],
  );
}

/** Every column that holds sealed texts. */
const SEALED_COLUMNS = [
  'calendar.feed.address',
  'files.storage_account.sealed',
  'identity.factor_device.secret',
  'identity.filestore.credentials',
  'identity.guest.sealed_pin',
  'identity.guest.token',
  'mail_account.account.password',
  'mail_account.account.transport_password',
  'push.server_key.private_key',
  'push.subscription.token',
  'sso.oauth_account.sealed',
];

describe('a new secret key', () => {
  it('seals all that was sealed, so that the old one can go', async () => {
    await storeSecrets();
    expect(await columnsSealedWith(OLD)).toEqual(SEALED_COLUMNS);
    await restart(NEW, OLD);
    const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
    for (const [place, checked] of [
      ['mail-accounts', 2],
      ['secrets/calendar', 1],
      ['secrets/files', 1],
      ['secrets/identity', 4],
      ['secrets/push', 2],
      ['secrets/sso', 1],
    ] as const) {
      const first = await master.expect('POST', `/admin/v1/${place}/reseal`);
      expect([place, first]).toEqual([place, { checked, resealed: checked, unreadable: 0 }]);
      const second = await master.expect('POST', `/admin/v1/${place}/reseal`);
      expect([place, second]).toEqual([place, { checked, resealed: 0, unreadable: 0 }]);
    }
    expect(await columnsSealedWith(OLD)).toEqual([]);
    expect(await columnsSealedWith(NEW)).toEqual(SEALED_COLUMNS);
  }, 180_000);

  it('opens by itself what the old one had sealed', async () => {
    await restart(NEW);
    const guest = await fetch(`${world.publicUrl}${link}`, { redirect: 'manual' });
    expect([guest.status, guest.headers.get('location')]).toEqual([302, expect.stringContaining('login_type')]);
    const user = await logIn(cast.U1);
    const { data: devices } = await user.get<any[]>('multifactor/device', 'all');
    const shown = { providerName: 'TOTP', deviceId: devices!.find(({ providerName }) => providerName === 'TOTP').id };
    await user.get('multifactor/device', 'startAuthentication', shown);
    const secret_code = await generate({ secret: sharedSecret, epoch: Date.now() / 1000 + 30 });
    const answer = await user.put('multifactor/device', 'finishAuthentication', shown, { secret_code });
    expect(answer.data).toEqual({ result: 'OK' });
    const { data } = await user.put('share/management', 'getLink', {}, { module: 'calendar', folder: shared });
    expect(data.password).toBe(PIN);
    const before = dav.requests.length;
    const listed = await user.get('folders', 'list', { parent: folderOf('1'), tree: '1', columns: '1,300' });
    expect([listed.code, dav.requests.length > before]).toEqual([undefined, true]);
    expect(dav.requests.at(-1)?.authorization).toBe(
      `Basic ${Buffer.from(`${dav.login}:${dav.password}`).toString('base64')}`,
    );
    const { data: key } = await user.get<{ key: string }>('pns', 'webPushKey');
    expect(key?.key).toEqual(expect.any(String));
  }, 120_000);
});
