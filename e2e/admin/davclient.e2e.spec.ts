import { XMLParser } from 'fast-xml-parser';
import { generate } from 'otplib';
import { PASSWORD } from '../fixtures';
import { Client, type AdminClient } from '../client';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { ADMIN_MODULES, callersOf, newContext, newPerson, type Person } from './people';

let world: TestEnvironment;
let master: AdminClient;
let contextId: number;
let ann: Person;
/** Has neither calendar nor contacts. */
let bob: Person;
const PER_ADDRESS = 6;
const LOGO = 'https://operator.example/logo.png';

beforeAll(async () => {
  world = await startTestEnvironment({
    modules: ADMIN_MODULES,
    // Each test has an address of its own, for the limits count by address.
    variables: { GATEWAY_TRUSTED_PROXIES: '127.0.0.1' },
    properties: {
      'com.example.capabilities.servedElsewhere': 'caldav,carddav',
      'com.example.davclient.scheme': 'example-dav',
      'com.example.davclient.productName': 'Office & more',
      'com.example.davclient.logoImage': LOGO,
      'com.example.davclient.headerImage': 'http://operator.example/not-shown.png',
      'com.example.davclient.support.linkDestination': 'https://help.example/',
      'com.example.davclient.requestsPerMinute.address': String(PER_ADDRESS),
      'com.example.davclient.token.lifetime': '600000',
    },
  });
  ({ master } = callersOf(world));
  contextId = await newContext(master);
  ann = await newPerson(world, master, contextId, 'ann');
  bob = await newPerson(world, master, contextId, 'bob', {
    moduleAccess: { flags: { calendar: false, contacts: false } },
  });
}, 120_000);
afterAll(() => world?.close());

let addresses = 0;
const newAddress = (): string => `192.0.2.${++addresses}`;
const basic = (login: string, password: string) => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
const host = () => new URL(world.publicUrl).host;

async function ask(token: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.publicUrl}/davclient/v1/config/${token}`, {
    headers: { 'x-forwarded-for': newAddress(), ...headers },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}
async function newToken(person: Client = ann, type = 'dav'): Promise<string> {
  const { data, error } = await person.get<string>('onboarding', 'link', { type });
  if (error) throw new Error(error);
  const match = /^example-dav:\/\/setup\?config=(.*)$/.exec(data!);
  const url = decodeURIComponent(match![1]!);
  expect(url.startsWith(`https://${host()}/davclient/v1/config/`)).toBe(true);
  const token = url.slice(url.lastIndexOf('/') + 1);
  keepOutOfLogs(token);
  return token;
}
const refusal = (status: number) => ({ status, body: { error: expect.any(String) } });

describe('the set-up of a DAV client', () => {
  it('RX-15: answers everything once, with a password that opens calendars and contacts alone', async () => {
    const token = await newToken();
    expect(token).toMatch(/^[\w-]{43}$/);
    const { status, body, headers } = await ask(token, { 'user-agent': 'DavThing/2.1 (Phone)' });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toContain('no-store');
    expect(body).toEqual({
      baseRoot: `https://${host()}/`,
      caldavRoot: `https://${host()}/caldav/`,
      carddavRoot: `https://${host()}/carddav/`,
      basicAuth: { username: ann.loginName, password: expect.stringMatching(/^.{19}$/) },
      customization: { productName: 'Office & more', logoImage: LOGO },
      supportInfos: { linkDestination: 'https://help.example/' },
    });
    const { data } = await ann.get('appPasswords', 'list');
    expect(data).toEqual([expect.objectContaining({ Scope: 'dav', Name: 'DavThing' })]);
    const device = new Client(world.publicUrl, 'device');
    expect((await device.login(body.basicAuth.username, body.basicAuth.password)).session).toEqual(expect.any(String));
    const again = await ask('any', { authorization: basic(body.basicAuth.username, body.basicAuth.password) });
    expect(again.status).toBe(200);
  });

  it('RX-16: refuses tokens that are used, replaced, old or made up, all alike', async () => {
    const used = await newToken();
    expect((await ask(used)).status).toBe(200);
    const replaced = await newToken();
    const fresh = await newToken();
    const answers = [];
    for (const token of [used, replaced, 'a'.repeat(43), '%00', 'x'.repeat(500)]) answers.push(await ask(token));
    for (const answer of answers) {
      expect(answer).toMatchObject(refusal(403));
      expect(answer.body).toEqual(answers[0]!.body);
    }
    expect((await ask(fresh, { 'accept-language': 'de' })).status).toBe(200);
    const german = await ask(fresh, { 'accept-language': 'de' });
    expect(german.body.error).toContain('Einrichtung');
  });

  it('gives one of many who come at once the password', async () => {
    const token = await newToken();
    const before = (await ann.get('appPasswords', 'list')).data.length;
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403]);
    expect((await ann.get('appPasswords', 'list')).data).toHaveLength(before + 1);
  });

  it('makes no password for a session from before the second factor of the user', async () => {
    const owner = await newPerson(world, master, contextId, 'fay');
    const thief = new Client(world.publicUrl);
    await thief.login(owner.loginName, PASSWORD);
    const early = await newToken(thief, 'caldav');
    const device = 'multifactor/device';
    const { data } = await owner.put(device, 'startRegistration', {}, { providerName: 'TOTP' });
    const { deviceId, challenge } = data;
    const answer = { secret_code: await generate({ secret: challenge.sharedSecret }) };
    await owner.put(device, 'finishRegistration', { providerName: 'TOTP', deviceId }, answer);
    for (const token of [early, await newToken(thief)]) expect(await ask(token)).toMatchObject(refusal(403));
    expect((await ask(await newToken(owner))).status).toBe(200);
  });

  it('keeps the token when the password cannot be made, and ends it for users who are disabled', async () => {
    const eve = await newPerson(world, master, contextId, 'eve');
    const config = `/admin/v1/contexts/${contextId}/users/${eve.userId}/config/com.example.appPasswords.maxPerUser`;
    await master.expect('PUT', config, { value: '1' });
    expect((await ask(await newToken(eve))).status).toBe(200);
    const token = await newToken(eve);
    expect((await ask(token)).status).toBeGreaterThanOrEqual(400);
    await master.expect('PUT', config, { value: '5' });
    expect((await ask(token)).status).toBe(200);
    const late = await newToken(eve);
    const { headers } = await master.request('GET', `/admin/v1/contexts/${contextId}/users/${eve.userId}`);
    await master.request(
      'PATCH',
      `/admin/v1/contexts/${contextId}/users/${eve.userId}`,
      { enabled: false },
      { 'if-match': headers.get('etag') ?? '*' },
    );
    expect(await ask(late)).toMatchObject(refusal(403));
    const gone = await ask('any', { authorization: basic(eve.loginName, PASSWORD) });
    expect(gone).toMatchObject(refusal(401));
  });

  it('RX-19: has a limit for each address and each token', async () => {
    const address = newAddress();
    const statuses = [];
    for (let attempt = 0; attempt <= PER_ADDRESS; attempt++)
      statuses.push((await ask(`made-up-${attempt}`, { 'x-forwarded-for': address })).status);
    expect(statuses).toEqual([...Array.from({ length: PER_ADDRESS }, () => 403), 429]);
    const limited = await ask('other', { 'x-forwarded-for': address });
    expect(limited).toMatchObject(refusal(429));
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('x', { 'x-forwarded-for': address, authorization: basic(ann.loginName, PASSWORD) })).status).toBe(
      429,
    );
    const ofToken = [];
    for (let attempt = 0; attempt < 6; attempt++) ofToken.push((await ask('one-token')).status);
    expect(ofToken).toEqual([403, 403, 403, 403, 403, 429]);
  });
});

describe('later questions of a DAV client', () => {
  it('RX-17: answers looks and help with an ETag, and 304 to who knows it', async () => {
    const headers = { authorization: basic(ann.loginName, PASSWORD) };
    const answer = await ask('no-token', headers);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      customization: { productName: 'Office & more', logoImage: LOGO },
      supportInfos: { linkDestination: 'https://help.example/' },
    });
    const etag = answer.headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(answer.headers.get('cache-control')).toBe('private, max-age=3600');
    expect(answer.headers.get('vary')).toBe('Authorization, Accept-Language');
    expect(answer.headers.get('pragma')).toBeNull();
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const unchanged = await ask('x', { ...headers, 'if-none-match': known });
      expect({ status: unchanged.status, body: unchanged.body }).toEqual({ status: 304, body: undefined });
      expect(unchanged.headers.get('etag')).toBe(etag);
      expect(unchanged.headers.get('cache-control')).toBe('private, max-age=3600');
    }
    await master.expect('PUT', `/admin/v1/contexts/${contextId}/config/com.example.davclient.description`, {
      value: 'Ours',
    });
    const changed = await ask('x', { ...headers, 'if-none-match': etag });
    expect(changed).toMatchObject({ status: 200, body: { customization: { description: 'Ours' } } });
    expect((await ann.get('appPasswords', 'list')).data.map(({ Scope }: { Scope: string }) => Scope)).not.toContain(
      'x',
    );
  });

  it('RX-18: refuses wrong credentials with a challenge, and never takes a token then', async () => {
    const token = await newToken();
    const mail = await ann.fetch(
      'POST',
      '/appPasswords',
      { action: 'add', session: ann.session },
      { body: new URLSearchParams({ appScope: 'mail', appName: 'mail' }) },
    );
    const { data } = (await mail.json()) as { data: { login: string; password: string } };
    for (const authorization of [
      basic(ann.loginName, 'wrong'),
      basic('nobody@1', PASSWORD),
      basic(bob.loginName, PASSWORD),
      basic(data.login, data.password),
      basic(ann.loginName, ''),
      'Bearer abc',
      'Basic',
      '',
    ]) {
      const answer = await ask(token, { authorization });
      expect({ authorization, status: answer.status }).toEqual({ authorization, status: 401 });
      expect(answer.body).toEqual({ error: expect.any(String) });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    }
    expect((await ask(token)).status).toBe(200);
  });

  it('counts failed log-ins of an address, and no others', async () => {
    const address = newAddress();
    const right = { 'x-forwarded-for': address, authorization: basic(ann.loginName, PASSWORD) };
    for (let attempt = 0; attempt <= PER_ADDRESS; attempt++) expect((await ask('x', right)).status).toBe(200);
    for (let attempt = 0; attempt < PER_ADDRESS; attempt++)
      expect((await ask('x', { ...right, authorization: 'Bearer x' })).status).toBe(401);
    expect(await ask('x', right)).toMatchObject(refusal(429));
  });

  it('says when log-ins cannot be checked, and keeps the token', async () => {
    const alone = await startTestEnvironment({
      modules: ['admin', 'gateway'],
      variables: {
        REDIS_URL: world.environment.REDIS_URL!,
        GROUPWARE_BUS_PREFIX: `${world.environment.GROUPWARE_BUS_PREFIX}-alone`,
      },
    });
    try {
      const url = `${alone.publicUrl}/davclient/v1/config/x`;
      const response = await fetch(url, { headers: { authorization: basic('ann@1', 'x') } });
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 503,
        body: { error: expect.any(String) },
      });
    } finally {
      await alone.close();
    }
  });

  it('is on the public listener only', async () => {
    expect((await fetch(`${world.internalUrl}/davclient/v1/config/x`)).status).toBe(404);
    expect((await fetch(`${world.publicUrl}/davclient/v1/config/x`, { method: 'POST' })).status).toBe(405);
  });
});

describe('on-boarding', () => {
  it('tells what can be set up for which device', async () => {
    const { data } = await ann.get('onboarding', 'config');
    expect(data.platforms.map(({ id }: { id: string }) => id)).toEqual(['apple', 'android', 'windows']);
    expect(data.devices[0]).toMatchObject({ id: 'apple.iphone', platform: 'apple', enabled: true });
    expect(data.devices[0].scenarios).toContain('apple.iphone/davsync');
    expect(data.actions).toEqual(
      expect.arrayContaining([{ id: 'download/davprofile' }, { id: 'link/davclient' }, { id: 'display/davuser' }]),
    );
    expect(data.matching).toContainEqual({
      id: 'apple.iphone/davsync',
      enabled: true,
      actions: ['download/davprofile', 'display/davuser'],
    });
    const other = (await bob.get('onboarding', 'config')).data;
    expect(other.matching).toContainEqual({
      id: 'apple.iphone/davsync',
      enabled: false,
      missing_capabilities: ['caldav', 'carddav'],
      actions: ['download/davprofile', 'display/davuser'],
    });
    expect(other.scenarios[0]).toMatchObject({ id: 'davsync', enabled: false });
  });

  it.each(['caldav', 'carddav', 'dav'])('gives Apple devices a profile for %s', async (type) => {
    const response = await ann.fetch('GET', '/onboarding', { action: 'download', session: ann.session, type });
    expect(response.headers.get('content-type')).toBe('application/x-apple-aspen-config');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${type}.mobileconfig"`);
    const text = await response.text();
    expect(new XMLParser().parse(text).plist.dict.key).toContain('PayloadContent');
    expect(text.includes('CalDAVUsername')).toBe(type !== 'carddav');
    expect(text.includes('CardDAVUsername')).toBe(type !== 'caldav');
    expect(text).toContain(`<string>${ann.loginName}</string>`);
    expect(text).toContain('Office &amp; more');
  });

  it('does things for a device', async () => {
    const execute = (id: string, action_id: string, body?: unknown, person: Client = ann) =>
      person.call('PUT', 'onboarding', 'execute', { id, action_id }, body);
    expect((await execute('windows.desktop/davsync', 'display/davuser', {})).data).toEqual({
      caldav_url: `https://${host()}/caldav/`,
      caldav_login: ann.loginName,
      carddav_url: `https://${host()}/carddav/`,
      carddav_login: ann.loginName,
    });
    expect((await execute('apple.mac/carddavsync', 'display/davuser')).data).not.toHaveProperty('caldav_url');
    const { link } = (await execute('android.phone/davsync', 'link/davclient')).data;
    const token = decodeURIComponent(link).split('/').at(-1)!;
    expect((await ask(token)).status).toBe(200);
    const file = await ann.fetch('PUT', '/onboarding', {
      action: 'execute',
      session: ann.session,
      id: 'apple.ipad/caldavsync',
      action_id: 'download/davprofile',
    });
    expect(file.headers.get('content-type')).toMatch(/^application\/x-apple-aspen-config/);
    expect(await file.text()).toContain('CalDAVHostName');
    for (const id of ['apple.iphone', 'apple.iphone/', '/davsync', 'apple.iphone/davsync/x', 'palm/davsync'])
      expect((await execute(id, 'display/davuser')).code).toBe('ONBRD-0001');
    expect((await execute('windows.desktop/davsync', 'download/davprofile')).code).toBe('ONBRD-0002');
    expect((await execute('apple.mac/davsync', 'display/davuser', {}, bob)).code).toBe('ONBRD-0003');
  });

  it('refuses what the user lacks, and unknown types', async () => {
    for (const action of ['link', 'download']) {
      expect((await bob.get('onboarding', action, { type: 'dav' })).code).toBe('ONBRD-0003');
      expect((await ann.get('onboarding', action, { type: 'eas' })).code).toBe('SVL-0010');
      expect((await ann.get('onboarding', action)).code).toBe('SVL-0002');
    }
  });
});
