import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { U2fKey } from '@groupware/test-kit';
import { generate } from 'otplib';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { pipelined } from '../pipeline';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let master: AdminClient;
let contextId: number;
let gateway: Server;
let gatewayAnswers = 200;
const messages: { to: string; text: string; authorization?: string }[] = [];
const folder = mkdtempSync(path.join(os.tmpdir(), 'multifactor-'));
let serial = 0;

beforeAll(async () => {
  gateway = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      messages.push({ ...JSON.parse(body), authorization: request.headers.authorization });
      response.writeHead(gatewayAnswers).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => gateway.once('listening', resolve));
  const properties = path.join(folder, 'server.properties');
  writeFileSync(properties, 'com.example.multifactor.sms.perHour=4\ncom.example.multifactor.maxAttempts=5\n');
  world = await startTestEnvironment({
    modules: ['identity', 'gateway'],
    variables: {
      GROUPWARE_PROPERTIES_FILE: properties,
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
      IDENTITY_SMS_GATEWAY_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/send`,
      IDENTITY_SMS_GATEWAY_TOKEN: 'gateway token',
    },
  });
  master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(master, 'factors');
}, 120_000);
afterAll(async () => {
  await world?.close();
  gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Person {
  id: number;
  login: string;
}

async function newUser(): Promise<Person> {
  const name = `u${++serial}`;
  const body = {
    name,
    password: PASSWORD,
    surname: 'P',
    displayName: name,
    primaryEmail: `${name}@c${contextId}.example`,
  };
  const user = await master.expect('POST', `/admin/v1/contexts/${contextId}/users`, body);
  return { id: user.id, login: `${name}@${contextId}` };
}

async function opened({ login }: Person, form: Record<string, string> = {}): Promise<Client & { pending?: boolean }> {
  const client = new Client(world.publicUrl);
  const answer = await client.login(login, PASSWORD, form);
  expect(answer).toHaveProperty('session');
  return Object.assign(client, { pending: answer.requires_multifactor });
}

const device = (client: Client, method: string, action: string, query: object, body?: unknown) =>
  client.call(method, 'multifactor/device', action, query as never, body);
const codeOf = (secret: string): Promise<string> => generate({ secret });
/** A code is good once: later steps of a test use the next one, which the tolerance admits. */
const nextCode = (secret: string): Promise<string> => generate({ secret, epoch: Math.floor(Date.now() / 1000) + 30 });

async function registerTotp(client: Client, extra: object = {}): Promise<{ id: string; secret: string }> {
  const start = await device(client, 'PUT', 'startRegistration', {}, { providerName: 'TOTP', ...extra });
  const { deviceId, challenge } = start.data;
  const query = { providerName: 'TOTP', deviceId };
  const finish = await device(client, 'PUT', 'finishRegistration', query, {
    secret_code: await codeOf(challenge.sharedSecret),
  });
  expect(finish.data).toMatchObject({ id: deviceId, enabled: true });
  return { id: deviceId, secret: challenge.sharedSecret };
}

const show = (client: Client, providerName: string, deviceId: string, secret_code: string) =>
  device(client, 'PUT', 'finishAuthentication', { providerName, deviceId }, { secret_code });
const probe = async (client: Client): Promise<string> => (await client.get('user', 'get')).code ?? 'open';

describe('kinds of second factors', () => {
  it('are listed with what they are good for', async () => {
    const client = await opened(await newUser());
    const { data } = await client.get('multifactor/provider', 'all');
    expect(data).toEqual([
      { name: 'TOTP', backupProvider: true, backupOnlyProvider: false },
      { name: 'WEB-AUTH', backupProvider: true, backupOnlyProvider: false },
      { name: 'U2F', backupProvider: true, backupOnlyProvider: false },
      { name: 'SMS', backupProvider: true, backupOnlyProvider: false },
      { name: 'BACKUP_STRING', backupProvider: true, backupOnlyProvider: true },
    ]);
    expect((await client.get('multifactor/provider', 'all', { providers: 'SMS,totp' })).data).toHaveLength(2);
  });
});

describe('U2F', () => {
  const signedBy = (data: object) => {
    const text = JSON.stringify(data);
    return { clientData: Buffer.from(text).toString('base64url'), hash: createHash('sha256').update(text).digest() };
  };

  it('registers a key, and takes what only that key can sign, once', async () => {
    const user = await newUser();
    const first = await opened(user);
    const key = new U2fKey();
    const start = await device(first, 'PUT', 'startRegistration', {}, { providerName: 'U2F', name: 'Old key' });
    const { deviceId, challenge } = start.data;
    const [request] = challenge.registerRequests;
    expect(request).toEqual({
      version: 'U2F_V2',
      challenge: expect.any(String),
      appId: expect.stringMatching(/^http/),
      requestId: challenge.requestId,
    });
    const origin = request.appId;
    const enrolled = signedBy({ typ: 'navigator.id.finishEnrollment', challenge: request.challenge, origin });
    const query = { providerName: 'U2F', deviceId };
    const finish = (registrationData: string) =>
      device(first, 'PUT', 'finishRegistration', query, { clientData: enrolled.clientData, registrationData });
    expect(await finish(new U2fKey().register(enrolled.hash, 'https://evil.example'))).toMatchObject({
      code: 'MFA-0019',
    });
    expect((await finish(key.register(enrolled.hash, origin))).data).toMatchObject({
      id: deviceId,
      name: 'Old key',
      providerName: 'U2F',
      enabled: true,
    });

    const client = await opened(user);
    expect(client.pending).toBe(true);
    const begin = async () => (await device(client, 'GET', 'startAuthentication', query)).data.challenge;
    const [asked] = (await begin()).signRequests;
    expect(asked).toMatchObject({ version: 'U2F_V2', appId: origin, keyHandle: key.handle.toString('base64url') });
    const answer = (wanted: string, by: U2fKey) => {
      const { clientData, hash } = signedBy({ typ: 'navigator.id.getAssertion', challenge: wanted, origin });
      return { clientData, keyHandle: asked.keyHandle, signatureData: by.sign(hash, origin) };
    };
    const finished = (body: object) => device(client, 'PUT', 'finishAuthentication', query, body);
    expect(await finished(answer(asked.challenge, new U2fKey()))).toMatchObject({ code: 'MFA-0023' });
    expect(await probe(client)).toBe('MFA-0001');
    const [again] = (await begin()).signRequests;
    const right = answer(again.challenge, key);
    expect((await finished(right)).data).toEqual({ result: 'OK' });
    expect(await probe(client)).toBe('open');
    expect(await finished(right)).toHaveProperty('code');
  });
});

describe('TOTP', () => {
  it('is registered on 20 devices at most, however many registrations had begun', async () => {
    const client = await opened(await newUser());
    await registerTotp(client);
    const begun: { deviceId: string; challenge: { sharedSecret: string } }[] = [];
    for (let count = 0; count < 20; count++)
      begun.push((await device(client, 'PUT', 'startRegistration', {}, { providerName: 'TOTP' })).data);
    const codes: (string | undefined)[] = [];
    for (const { deviceId, challenge } of begun) {
      const secret_code = await codeOf(challenge.sharedSecret);
      const query = { providerName: 'TOTP', deviceId };
      codes.push((await device(client, 'PUT', 'finishRegistration', query, { secret_code })).code);
    }
    expect(codes).toEqual([...Array<undefined>(19), 'MFA-0019']);
    expect((await device(client, 'GET', 'all', {})).data).toHaveLength(20);
  });

  it('is registered with a secret, an address and an image', async () => {
    const client = await opened(await newUser());
    const { data } = await device(client, 'PUT', 'startRegistration', {}, { providerName: 'TOTP', name: 'Phone' });
    expect(data.challenge.url).toMatch(/^otpauth:\/\/totp\//);
    const png = Buffer.from(data.challenge.base64Image, 'base64');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect((await device(client, 'GET', 'all', {})).data).toEqual([]);
    const wrong = await device(
      client,
      'PUT',
      'finishRegistration',
      { providerName: 'TOTP', deviceId: data.deviceId },
      { secret_code: '000000' },
    );
    expect(wrong).toMatchObject({ code: 'MFA-0019' });
    const unknown = { providerName: 'TOTP', deviceId: '0'.repeat(32) };
    expect(await device(client, 'PUT', 'finishRegistration', unknown, { secret_code: '000000' })).toMatchObject({
      code: 'MFA-0009',
    });
    const right = await device(
      client,
      'PUT',
      'finishRegistration',
      { providerName: 'TOTP', deviceId: data.deviceId },
      { secret_code: await codeOf(data.challenge.sharedSecret) },
    );
    expect(right.data).toEqual({
      id: data.deviceId,
      name: 'Phone',
      providerName: 'TOTP',
      backup: false,
      enabled: true,
      parameters: {},
    });
    expect((await device(client, 'GET', 'all', {})).data).toEqual([right.data]);
    expect(await probe(client)).toBe('open');
  });

  it('closes new sessions until a code was shown, and a code is good once', async () => {
    const user = await newUser();
    const { id, secret } = await registerTotp(await opened(user));
    const client = await opened(user, { rampup: 'true' });
    expect(client.pending).toBe(true);
    expect(await probe(client)).toBe('MFA-0001');
    expect(await client.get('sessionmanagement', 'all')).toMatchObject({ code: 'MFA-0001' });
    expect((await client.get('system', 'whoami')).data).toMatchObject({ requires_multifactor: true });
    expect((await client.get('login', 'refreshSecret')).data).toBe('1');
    expect((await device(client, 'GET', 'startAuthentication', { providerName: 'TOTP', deviceId: id })).data).toEqual({
      challenge: {},
    });
    expect(await show(client, 'TOTP', id, '123')).toMatchObject({ code: 'MFA-0023', error_params: ['4'] });
    const code = await nextCode(secret);
    expect((await show(client, 'TOTP', id, code)).data).toEqual({ result: 'OK' });
    expect(await probe(client)).toBe('open');
    const second = await opened(user);
    expect(await show(second, 'TOTP', id, code)).toMatchObject({ code: 'MFA-0023' });
    expect(await probe(second)).toBe('MFA-0001');
  });

  it('a batch gets no further than single calls', async () => {
    const user = await newUser();
    await registerTotp(await opened(user));
    const client = await opened(user);
    const answer = await client.call('PUT', 'multiple', undefined as never, {}, [{ module: 'user', action: 'get' }]);
    expect(JSON.stringify(answer)).toContain('MFA-0001');
    expect(JSON.stringify(answer)).not.toContain('display_name');
  });

  it('may come with the login', async () => {
    const user = await newUser();
    const { id, secret } = await registerTotp(await opened(user));
    const form = { providerName: 'TOTP', deviceId: id };
    const refused = await new Client(world.publicUrl).login(user.login, PASSWORD, { ...form, secret_code: '000000' });
    expect(refused).toMatchObject({ code: 'MFA-0023' });
    expect(refused).not.toHaveProperty('session');
    const client = await opened(user, { ...form, secret_code: await nextCode(secret) });
    expect(client.pending).toBeUndefined();
    expect(await probe(client)).toBe('open');
  });

  it('may come with the login as a code alone, of whichever device', async () => {
    const user = await newUser();
    const { secret } = await registerTotp(await opened(user));
    const refused = await new Client(world.publicUrl).login(user.login, PASSWORD, { secret_code: '000000' });
    expect(refused).toMatchObject({ code: 'MFA-0023' });
    const client = await opened(user, { secret_code: await nextCode(secret) });
    expect([client.pending, await probe(client)]).toEqual([undefined, 'open']);
    // Without a device that takes codes it is ignored.
    expect(await probe(await opened(await newUser(), { secret_code: '000000' }))).toBe('open');
  });

  it('locks out whoever guesses, for a while', async () => {
    const user = await newUser();
    const { id, secret } = await registerTotp(await opened(user));
    const client = await opened(user);
    for (let attempt = 0; attempt < 5; attempt++)
      expect(await show(client, 'TOTP', id, '000000')).toMatchObject({ code: 'MFA-0023' });
    expect(await show(client, 'TOTP', id, await nextCode(secret))).toMatchObject({ code: 'MFA-0022' });
  });

  it('compares no more codes than it allows, of a thousand that come at once', async () => {
    const user = await newUser();
    const { id } = await registerTotp(await opened(user));
    const client = await opened(user);
    const guess = (index: number) => ({
      method: 'PUT',
      path: `/multifactor/device?${new URLSearchParams({ action: 'finishAuthentication', providerName: 'TOTP', deviceId: id, session: client.session })}`,
      headers: { Cookie: client.cookieHeader, 'User-Agent': client.userAgent },
      body: JSON.stringify({ secret_code: String(index).padStart(6, '0') }),
    });
    const codes = await pipelined(
      world.publicUrl,
      Array.from({ length: 1_000 }, (_, index) => guess(index)),
    );
    expect(codes.filter((code) => code === 'MFA-0023')).toHaveLength(5);
    // The others were locked out, or one too many for the service at this moment: none of them was compared.
    const refused = codes.filter((code) => code !== 'MFA-0023');
    expect(refused).toHaveLength(995);
    expect(['MFA-0022', 'SVL-0032']).toEqual(expect.arrayContaining([...new Set(refused)]));
    expect(refused).toContain('MFA-0022');
  }, 60_000);

  it('cannot be added by somebody who knows only the password', async () => {
    const user = await newUser();
    await registerTotp(await opened(user));
    const client = await opened(user);
    const start = await device(client, 'PUT', 'startRegistration', {}, { providerName: 'TOTP' });
    expect(start).toMatchObject({ code: 'MFA-0001' });
  });
});

describe('devices', () => {
  it('are renamed and removed by their user, after a second factor was shown recently', async () => {
    const user = await newUser();
    const first = await opened(user);
    const other = await opened(user);
    const { id } = await registerTotp(first);
    const query = { providerName: 'TOTP', deviceId: id };
    // A session from before the registration never showed a factor.
    expect(await device(other, 'DELETE', 'delete', query)).toMatchObject({ code: 'MFA-0015' });
    const renamed = await device(first, 'PUT', 'rename', { providerName: 'TOTP' }, { id, name: 'New name' });
    expect(renamed.data).toMatchObject({ id, name: 'New name' });
    expect((await device(first, 'DELETE', 'delete', query)).data).toEqual([id]);
    expect((await device(first, 'GET', 'all', {})).data).toEqual([]);
    expect((await opened(user)).pending).toBeUndefined();
  });

  it('cannot be replaced by those of a thief who has a session of the owner', async () => {
    const user = await newUser();
    const [owner, thief] = [await opened(user), await opened(user)];
    // Begun before the owner had a factor, finished after.
    const begun = (await device(thief, 'PUT', 'startRegistration', {}, { providerName: 'TOTP' })).data;
    const { id } = await registerTotp(owner);
    const answers = [
      await device(
        thief,
        'PUT',
        'finishRegistration',
        { providerName: 'TOTP', deviceId: begun.deviceId },
        { secret_code: await codeOf(begun.challenge.sharedSecret) },
      ),
      await device(thief, 'PUT', 'startRegistration', {}, { providerName: 'TOTP' }),
      await device(thief, 'PUT', 'startRegistration', {}, { providerName: 'BACKUP_STRING' }),
      await device(thief, 'DELETE', 'delete', { providerName: 'TOTP', deviceId: id }),
    ];
    expect(answers.map(({ code }) => code)).toEqual(['MFA-0015', 'MFA-0015', 'MFA-0015', 'MFA-0015']);
    expect((await device(owner, 'GET', 'all', {})).data).toHaveLength(1);
    expect((await opened(user)).pending).toBe(true);
  });

  it('may be renamed by a session that showed no factor, which changes nothing else', async () => {
    const user = await newUser();
    const [owner, thief] = [await opened(user), await opened(user)];
    const { id, secret } = await registerTotp(owner);
    const renamed = await device(
      thief,
      'PUT',
      'rename',
      { providerName: 'TOTP' },
      { id, name: 'Lost one', enabled: false },
    );
    expect(renamed.data).toMatchObject({ id, name: 'Lost one', enabled: true });
    expect(JSON.stringify(renamed)).not.toContain(secret);
    const next = await opened(user);
    expect(next.pending).toBe(true);
    await show(next, 'TOTP', id, await nextCode(secret));
    expect(await probe(next)).toBe('open');
  });

  it('keep a session from before them from passwords that open the account without them', async () => {
    const user = await newUser();
    const [owner, thief] = [await opened(user), await opened(user)];
    const add = (client: Client) =>
      client.call('POST', 'appPasswords', 'add', { appScope: 'calendar', appName: 'Telephone' });
    expect(await add(thief)).not.toHaveProperty('error');
    const { id } = await registerTotp(owner);
    expect(await add(thief)).toMatchObject({ code: 'MFA-0015' });
    expect(await add(owner)).not.toHaveProperty('error');
    await device(owner, 'DELETE', 'delete', { providerName: 'TOTP', deviceId: id });
    expect(await add(thief)).not.toHaveProperty('error');
  });

  it('of which the last two go at once leave no backup alone', async () => {
    const client = await opened(await newUser());
    const [first, second] = [await registerTotp(client), await registerTotp(client)];
    const begun = (await device(client, 'PUT', 'startRegistration', {}, { providerName: 'BACKUP_STRING' })).data;
    await device(client, 'PUT', 'finishRegistration', { providerName: 'BACKUP_STRING', deviceId: begun.deviceId }, {});
    await Promise.all(
      [first, second].map(({ id }) => device(client, 'DELETE', 'delete', { providerName: 'TOTP', deviceId: id })),
    );
    expect((await device(client, 'GET', 'all', {})).data).toEqual([]);
  });

  it.each(['TOTP', 'BACKUP_STRING'])('take null for no answer: %s', async (providerName) => {
    const user = await newUser();
    const client = await opened(user);
    const totp = await registerTotp(client);
    const begun = (await device(client, 'PUT', 'startRegistration', {}, { providerName: 'BACKUP_STRING' })).data;
    await device(client, 'PUT', 'finishRegistration', { providerName: 'BACKUP_STRING', deviceId: begun.deviceId }, {});
    const deviceId = providerName === 'TOTP' ? totp.id : begun.deviceId;
    const answer = { secret_code: null, clientData: null, response: null };
    const pending = await opened(user);
    expect(await device(pending, 'PUT', 'finishAuthentication', { providerName, deviceId }, answer)).toMatchObject({
      code: 'MFA-0023',
    });
    expect(await probe(pending)).toBe('MFA-0001');
  });

  it('registered by two sessions at once make one of them the first', async () => {
    const user = await newUser();
    const sessions = await Promise.all([opened(user), opened(user), opened(user)]);
    const finished = await Promise.all(
      sessions.map(async (client) => {
        const { deviceId, challenge } = (await device(client, 'PUT', 'startRegistration', {}, { providerName: 'TOTP' }))
          .data;
        const answer = { secret_code: await codeOf(challenge.sharedSecret) };
        return async () => device(client, 'PUT', 'finishRegistration', { providerName: 'TOTP', deviceId }, answer);
      }),
    );
    const answers = await Promise.all(finished.map((finish) => finish()));
    expect(answers.map(({ code }) => code ?? 'registered').sort()).toEqual(['MFA-0015', 'MFA-0015', 'registered']);
  });

  it('of others look like missing ones', async () => {
    const { id } = await registerTotp(await opened(await newUser()));
    const stranger = await opened(await newUser());
    const query = { providerName: 'TOTP', deviceId: id };
    const answers = [
      await device(stranger, 'GET', 'startAuthentication', query),
      await show(stranger, 'TOTP', id, '000000'),
      await device(stranger, 'DELETE', 'delete', query),
      await device(stranger, 'PUT', 'rename', { providerName: 'TOTP' }, { id, name: 'x' }),
      await device(stranger, 'DELETE', 'delete', { providerName: 'TOTP', deviceId: 'nonsense' }),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ code: 'MFA-0009', error_params: [] });
  });

  it('of unknown kinds are refused', async () => {
    const client = await opened(await newUser());
    expect(await device(client, 'PUT', 'startRegistration', {}, { providerName: 'IRIS' })).toMatchObject({
      code: 'MFA-0006',
    });
    expect(await device(client, 'PUT', 'startRegistration', {}, {})).toMatchObject({ code: 'MFA-0013' });
  });
});

describe('backup strings', () => {
  it('need another device, open the account once and go', async () => {
    const user = await newUser();
    const client = await opened(user);
    const begin = () => device(client, 'PUT', 'startRegistration', {}, { providerName: 'BACKUP_STRING' });
    expect(await begin()).toMatchObject({ code: 'MFA-0019' });
    const totp = await registerTotp(client);
    const { deviceId, challenge } = (await begin()).data;
    const query = { providerName: 'BACKUP_STRING', deviceId };
    const { data } = await device(client, 'PUT', 'finishRegistration', query, { secret_code: challenge.sharedSecret });
    expect(data).toMatchObject({ backup: true, providerName: 'BACKUP_STRING' });
    const lost = await opened(user);
    const start = await device(lost, 'GET', 'startAuthentication', query);
    expect(start.data).toEqual({ challenge: { backupStringLength: 20 } });
    expect(await show(lost, 'BACKUP_STRING', deviceId, 'wrong')).toMatchObject({ code: 'MFA-0023' });
    expect((await show(lost, 'BACKUP_STRING', deviceId, challenge.sharedSecret.toLowerCase())).data).toEqual({
      result: 'OK',
    });
    expect(await probe(lost)).toBe('open');
    expect((await device(lost, 'GET', 'all', {})).data.map((each: any) => each.id)).toEqual([totp.id]);
    expect(await show(await opened(user), 'BACKUP_STRING', deviceId, challenge.sharedSecret)).toMatchObject({
      code: 'MFA-0009',
    });
  });

  it('go with the last real device', async () => {
    const user = await newUser();
    const client = await opened(user);
    const totp = await registerTotp(client);
    const { deviceId } = (await device(client, 'PUT', 'startRegistration', {}, { providerName: 'BACKUP_STRING' })).data;
    await device(client, 'PUT', 'finishRegistration', { providerName: 'BACKUP_STRING', deviceId }, {});
    const gone = await device(client, 'DELETE', 'delete', { providerName: 'TOTP', deviceId: totp.id });
    expect(gone.data.sort()).toEqual([totp.id, deviceId].sort());
  });
});

describe('text messages', () => {
  const lastCode = (): string => /(\d{6})$/.exec(messages.at(-1)!.text)![1]!;

  it('carry codes through the gateway, for registration and for login, each good once', async () => {
    const user = await newUser();
    const client = await opened(user);
    const sms = { providerName: 'SMS', parameters: { phoneNumber: '+49 (170) 123-4567' } };
    const { deviceId, challenge } = (await device(client, 'PUT', 'startRegistration', {}, sms)).data;
    expect(challenge).toEqual({ phoneNumberTail: '4567' });
    expect(messages.at(-1)).toEqual({
      to: '+491701234567',
      text: expect.stringMatching(/\d{6}$/),
      authorization: 'Bearer gateway token',
    });
    const query = { providerName: 'SMS', deviceId };
    await device(client, 'PUT', 'finishRegistration', query, { secret_code: lastCode() });
    const pending = await opened(user);
    expect(await show(pending, 'SMS', deviceId, lastCode())).toMatchObject({ code: 'MFA-0023' });
    const start = await device(pending, 'GET', 'startAuthentication', query);
    expect(start.data).toEqual({ challenge: { phoneNumberTail: '4567' } });
    const code = lastCode();
    expect((await show(pending, 'SMS', deviceId, code)).data).toEqual({ result: 'OK' });
    expect(await show(await opened(user), 'SMS', deviceId, code)).toMatchObject({ code: 'MFA-0023' });
  });

  it('are bounded in number, and failures of the gateway are told', async () => {
    const client = await opened(await newUser());
    const begin = (phoneNumber?: string) =>
      device(client, 'PUT', 'startRegistration', {}, { providerName: 'SMS', parameters: { phoneNumber } });
    expect(await begin()).toMatchObject({ code: 'MFA-0013' });
    expect(await begin('call me')).toMatchObject({ code: 'SVL-0031' });
    gatewayAnswers = 500;
    expect(await begin('+4917012345')).toMatchObject({ code: 'MFA-0004' });
    gatewayAnswers = 200;
    for (let message = 0; message < 3; message++) expect(await begin('+4917012345')).toHaveProperty('data');
    expect(await begin('+4917012345')).toMatchObject({ code: 'SVL-0019' });
  });
});

describe('what administrators do (conformance scenarios)', () => {
  const admin = () => new AdminClient(world.internalUrl, 'admin', PASSWORD);
  const path = ({ id }: Person, rest: string) => `/admin/v1/contexts/${contextId}/users/${id}/multifactor${rest}`;

  async function withTwo(): Promise<{ user: Person; ids: string[]; secret: string }> {
    const user = await newUser();
    const client = await opened(user);
    const [a, b] = [await registerTotp(client, { name: 'A' }), await registerTotp(client, { name: 'B' })];
    return { user, ids: [a.id, b.id], secret: a.secret };
  }

  it('RX-01 lists the devices of a user without their secrets', async () => {
    const { user, ids, secret } = await withTwo();
    const { body } = await admin().request('GET', path(user, '/devices'));
    expect(body).toEqual(
      ['A', 'B'].map((name, index) => ({ id: ids[index], name, providerName: 'TOTP', enabled: true, backup: false })),
    );
    expect(JSON.stringify(body)).not.toContain(secret);
  });

  it('RX-02 removes one device, once', async () => {
    const { user, ids } = await withTwo();
    const remove = () => admin().request('DELETE', path(user, `/devices/totp/${ids[0]}`));
    expect((await remove()).status).toBe(200);
    expect((await admin().request('GET', path(user, '/devices'))).body).toHaveLength(1);
    expect((await remove()).status).toBe(404);
    expect((await admin().request('DELETE', path(user, `/devices/iris/${ids[1]}`))).status).toBe(404);
  });

  it('RX-03 removes all devices', async () => {
    const { user } = await withTwo();
    for (let time = 0; time < 2; time++) {
      expect((await admin().request('DELETE', path(user, '/devices'))).status).toBe(200);
      expect((await admin().request('GET', path(user, '/devices'))).body).toEqual([]);
    }
    expect((await opened(user)).pending).toBeUndefined();
  });

  it('take away the first device that a thief of a session registered: the owner is in again', async () => {
    const user = await newUser();
    const thief = await opened(user);
    await registerTotp(thief);
    expect((await opened(user)).pending).toBe(true);
    expect((await admin().request('DELETE', path(user, '/devices'))).status).toBe(200);
    const owner = await opened(user);
    expect([owner.pending, await probe(owner)]).toEqual([undefined, 'open']);
  });

  it('login information counts logins with the own password, and is reset', async () => {
    const user = await newUser();
    const read = async () => (await admin().request('GET', path(user, '/login-information'))).body;
    expect(await read()).toEqual({ enforceMfa: false, loginCounter: 0 });
    await opened(user);
    const client = await opened(user);
    const app = new URLSearchParams({ appScope: 'mail', appName: 'x' });
    const made = await client.fetch('POST', '/appPasswords', { action: 'add', session: client.session }, { body: app });
    const { login, password } = ((await made.json()) as any).data;
    await new Client(world.publicUrl).login(login, password);
    expect(await read()).toEqual({
      enforceMfa: false,
      loginCounter: 2,
      firstLogin: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await admin().request('DELETE', path(user, '/login-information'))).status).toBe(200);
    expect(await read()).toEqual({ enforceMfa: false, loginCounter: 0 });
    expect(
      (await admin().request('GET', `/admin/v1/contexts/${contextId}/users/99999/multifactor/login-information`))
        .status,
    ).toBe(404);
  });

  it('users who are unknown and ids that nobody can have are told apart', async () => {
    for (const [method, rest] of [
      ['GET', '/devices'],
      ['DELETE', '/devices'],
      ['DELETE', '/devices/TOTP/1'],
      ['GET', '/login-information'],
      ['DELETE', '/login-information'],
    ] as const) {
      const statusOf = async (id: string) => {
        const at = `/admin/v1/contexts/${contextId}/users/${id}/multifactor${rest}`;
        const { status, body } = await admin().request(method, at);
        return [status, body.code];
      };
      expect(await statusOf('99999')).toEqual([404, 'USR-0010']);
      for (const id of ['x', '0', '-1', '2147483648', '1.5']) expect((await statusOf(id))[0]).toBe(400);
    }
  });

  it('enforcement opens nothing but the registration after the grace period', async () => {
    const user = await newUser();
    const set = (key: string, value: string) =>
      admin().expect(
        'PUT',
        `/admin/v1/contexts/${contextId}/users/${user.id}/config/com.example.multifactor.enforce.${key}`,
        { value },
      );
    await set('enabled', 'true');
    await set('graceLogins', '1');
    expect((await opened(user)).pending).toBeUndefined();
    expect((await admin().request('GET', path(user, '/login-information'))).body).toMatchObject({ enforceMfa: true });
    const client = await opened(user);
    expect(client.pending).toBe(true);
    expect(await probe(client)).toBe('MFA-0001');
    await registerTotp(client);
    expect(await probe(client)).toBe('open');
    expect((await admin().request('GET', path(user, '/login-information'))).body).toMatchObject({ enforceMfa: false });
  });

  it('AP-06 an application password asks for no second factor', async () => {
    const user = await newUser();
    const client = await opened(user);
    const app = new URLSearchParams({ appScope: 'mail', appName: 'x' });
    const made = await client.fetch('POST', '/appPasswords', { action: 'add', session: client.session }, { body: app });
    const { login, password } = ((await made.json()) as any).data;
    await registerTotp(client);
    const phone = new Client(world.publicUrl);
    expect(await phone.login(login, password)).not.toHaveProperty('requires_multifactor');
    expect(await probe(phone)).toBe('open');
  });
});
