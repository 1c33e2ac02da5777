import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setLogDestination } from '@groupware/service-kit';
import { sessionDigest } from '@groupware/sessions';
import { generate } from 'otplib';
import { createContext, createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { AdminClient, Client } from '../client';
import { startDavServer, type DavServer } from '../files/dav-server';
import { folderOf, WEBDAV } from '../files/storages';
import { expectNoSecretInLogs, keepOutOfLogs, searchLater, searchStore } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let user: TestUser;
let dav: DavServer;
let feeds: Server;
let log = '';

beforeAll(async () => {
  dav = await startDavServer();
  feeds = createServer((request, response) => {
    const isFeed = request.url!.endsWith('.ics');
    response.writeHead(200, { 'content-type': isFeed ? 'text/calendar' : 'application/rss+xml' });
    response.end(isFeed ? 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n' : '<rss version="2.0"/>');
  });
  await new Promise<void>((resolve) => feeds.listen(0, '127.0.0.1', resolve));
  world = await startTestEnvironment({
    variables: {
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
      GROUPWARE_OUTBOUND_WEB_PORTS: '1024-65535',
      GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0',
    },
    properties: {
      'com.example.file.storage.webdav.enabled': 'true',
      'com.example.file.storage.webdav.allowPlain': 'true',
      'com.example.oauth.provider.enabled': 'true',
    },
  });
  setLogDestination({
    write: (text) => {
      log += text;
      searchLater(text);
    },
  });
  const admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  user = await createTestUser(world, admin, await createContext(admin, 'secrets'), 'ann');
}, 120_000);
afterAll(async () => {
  await world?.close();
  await dav?.close();
  feeds?.closeAllConnections();
  feeds?.close();
});

const form = (client: Client, module: string, action: string, fields: Record<string, string>) =>
  client.fetch('POST', `/${module}`, { action, session: client.session }, { body: new URLSearchParams(fields) });

describe('after a journey through every kind of secret', () => {
  const accountPassword = 'password of the account';
  const pin = 'pin of the link to it';
  const feedPassword = 'password of the calendar';
  const hookSecret = 'secret of the webhook';
  const answers: string[] = [];
  const note = async <T>(answer: Promise<T>): Promise<T> => {
    answers.push(JSON.stringify(await answer));
    return answer;
  };

  beforeAll(async () => {
    const wrong = 'a wrong password 42';
    await note(new Client(world.publicUrl).login(user.loginName, wrong));
    keepOutOfLogs(wrong);

    const account = {
      name: 'Work',
      login: 'ann',
      password: accountPassword,
      mail_url: 'imap://mail.test.invalid',
      transport_url: 'smtp://mail.test.invalid',
      primary_address: 'ann@test.invalid',
    };
    const created = await note(user.put('account', 'new', {}, account));
    expect(created.data.id).toEqual(expect.any(Number));
    await note(user.get('account', 'get', { id: created.data.id }));
    await note(user.get('account', 'all', { columns: 'all' }));
    await note(user.put('account', 'validate', {}, account));

    const folder = await user.put('folders', 'new', { folder_id: '1' }, { module: 'calendar', title: 'Shared' });
    const link = await user.put('share/management', 'getLink', {}, { module: 'calendar', folder: folder.data });
    const token = String(link.data.url).split('/').at(-2)!;
    keepOutOfLogs(token, pin);
    await user.put(
      'share/management',
      'updateLink',
      { timestamp: link.timestamp },
      { module: 'calendar', folder: folder.data, password: pin },
    );
    await note(new Client(world.publicUrl).fetch('GET', new URL(link.data.url).pathname).then((r) => r.text()));

    const made = (await (
      await form(user, 'appPasswords', 'add', { appScope: 'calendar', appName: 'Phone' })
    ).json()) as {
      data: { login: string; password: string };
    };
    keepOutOfLogs(made.data.password);
    const phone = new Client(world.publicUrl);
    expect(await note(phone.login(made.data.login, made.data.password))).toHaveProperty('session');
    await note(user.get('appPasswords', 'list'));

    keepOutOfLogs(dav.password, feedPassword, 'secret-address', hookSecret);
    const configuration = { url: dav.url, login: dav.login, password: dav.password };
    const storage = await note(user.put('fileaccount', 'new', {}, { filestorageService: WEBDAV, configuration }));
    expect(storage.data).toEqual(expect.any(String));
    await note(user.get('fileaccount', 'all', {}));
    await note(user.get('folders', 'list', { parent: folderOf(storage.data), tree: '1', columns: '1,300' }));
    const tried = { ...configuration, password: `${dav.password}, and more` };
    await note(user.put('fileaccount', 'new', {}, { filestorageService: WEBDAV, configuration: tried }));

    const feedUrl = `http://127.0.0.1:${(feeds.address() as AddressInfo).port}/secret-address`;
    const feed = (login: object) => ({
      folder: {
        module: 'event',
        'com.openexchange.calendar.provider': 'ical',
        'com.openexchange.calendar.config': { uri: `${feedUrl}.ics`, ...login },
      },
    });
    const subscribed = await user.put(
      'folders',
      'new',
      { tree: '0', folder_id: '1' },
      feed({ login: 'ann', password: feedPassword }),
    );
    expect(subscribed.data).toEqual(expect.any(String));
    await user.put('rss', '', {}, { feedUrl: [`${feedUrl}.rss`] });

    const hook = JSON.stringify({ url: 'https://hooks.test.invalid/a', secret: hookSecret });
    await note(user.put('pns', 'subscribe', {}, { token: hook, transport: 'webhook', topics: ['ox:mail:*'] }));

    // There is no mail server: what is told of that holds no password.
    await note(user.fetch('POST', '/mail/compose', { session: user.session }).then((r) => r.text()));
    await note(user.get('mail', 'all', { folder: 'default0/INBOX', columns: '600' }));

    const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
    const application = await master.expect('POST', '/admin/v1/oauth/clients', {
      ...{ name: 'Planner', description: 'Plans', website: 'https://planner.example' },
      ...{ redirectURIs: ['https://planner.example/back'], defaultScope: ['read_calendar'] },
    });
    keepOutOfLogs(application.secret);
    const guess = { grant_type: 'authorization_code', client_id: application.id, code: 'a code that is none 42' };
    const body = new URLSearchParams({
      ...guess,
      client_secret: application.secret,
      redirect_uri: 'https://planner.example/back',
    });
    keepOutOfLogs(guess.code);
    await note(fetch(`${world.publicUrl}/oauth/provider/accessToken`, { method: 'POST', body }).then((r) => r.text()));
    const bearer = 'a token that is none 42';
    keepOutOfLogs(bearer);
    const headers = { authorization: `Bearer ${bearer}` };
    await note(fetch(`${world.publicUrl}/user?action=get`, { headers }).then((r) => r.text()));
    await note(
      fetch(`${world.publicUrl}/oauth/provider/tokeninfo?access_token=${encodeURIComponent(bearer)}`).then((r) =>
        r.text(),
      ),
    );

    const start = await user.put('multifactor/device', 'startRegistration', {}, { providerName: 'TOTP' });
    const { deviceId, challenge } = start.data;
    keepOutOfLogs(challenge.sharedSecret);
    await note(
      user.put(
        'multifactor/device',
        'finishRegistration',
        { providerName: 'TOTP', deviceId },
        { secret_code: await generate({ secret: challenge.sharedSecret }) },
      ),
    );
    await note(user.get('multifactor/device', 'all'));

    const { data: davUrl } = await user.get<string>('onboarding', 'link', { type: 'davclient' });
    if (davUrl) {
      keepOutOfLogs(davUrl.split('/').at(-1));
      await fetch(`${world.publicUrl}/davclient/v1/config/${davUrl.split('/').at(-1)}`).then((r) => r.text());
    }
    await note(user.get('token', 'acquireToken'));
    await searchStore(world.environment.REDIS_URL!, world.environment.GROUPWARE_BUS_PREFIX!);
  });

  it('logs, events and the session store hold none of them', () => {
    expect(() => expectNoSecretInLogs()).not.toThrow();
  });

  it('answers repeat no password', () => {
    for (const secret of [PASSWORD, accountPassword, pin, dav.password, feedPassword, hookSecret])
      expect(answers.join('\n')).not.toContain(secret);
  });

  it('the search would find one: it saw the calls and the session', async () => {
    expect(log).toContain('multifactor');
    searchLater(`${user.session}\n`);
    expect(() => expectNoSecretInLogs()).toThrow('(SECRET)');
    expect(sessionDigest(user.session)).not.toContain(user.session);
  });
});
