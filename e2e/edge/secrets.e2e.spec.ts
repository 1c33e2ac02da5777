import { setLogDestination } from '@groupware/service-kit';
import { sessionDigest } from '@groupware/sessions';
import { generate } from 'otplib';
import { createContext, createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { AdminClient, Client } from '../client';
import { expectNoSecretInLogs, keepOutOfLogs, searchLater, searchStore } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let user: TestUser;
let log = '';

beforeAll(async () => {
  world = await startTestEnvironment();
  setLogDestination({
    write: (text) => {
      log += text;
      searchLater(text);
    },
  });
  const admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  user = await createTestUser(world, admin, await createContext(admin, 'secrets'), 'ann');
}, 120_000);
afterAll(() => world?.close());

const form = (client: Client, module: string, action: string, fields: Record<string, string>) =>
  client.fetch('POST', `/${module}`, { action, session: client.session }, { body: new URLSearchParams(fields) });

describe('after a journey through every kind of secret', () => {
  const accountPassword = 'password of the account';
  const pin = 'pin of the link to it';
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
    for (const secret of [PASSWORD, accountPassword, pin]) expect(answers.join('\n')).not.toContain(secret);
  });

  it('the search would find one: it saw the calls and the session', async () => {
    expect(log).toContain('multifactor');
    searchLater(`${user.session}\n`);
    expect(() => expectNoSecretInLogs()).toThrow('(SECRET)');
    expect(sessionDigest(user.session)).not.toContain(user.session);
  });
});
