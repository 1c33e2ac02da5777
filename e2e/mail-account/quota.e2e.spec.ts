import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { MAIL_PASSWORD, startOutside, type Outside } from './outside';

let outside: Outside;
let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  outside = await startOutside(['ann'], { quotaKib: 2048 });
  const servers = `imaps://mail.test:${outside.dovecot.imaps},imaps://nowhere.test:1993`;
  world = await startTestEnvironment({
    variables: {
      ...outside.variables,
      MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
      MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: servers,
    },
    properties: { 'com.example.mail.passwordSource': 'global' },
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await outside?.close();
});

const provision = (user: TestUser, imap: object) =>
  cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${user.userId}/mail-account`, {
    imap: { host: 'mail.test', port: outside.dovecot.imaps, secure: true, login: 'ann', ...imap },
  });

describe('the space of a mailbox', () => {
  it('PQ-06: is what its server tells, in bytes', async () => {
    await provision(cast.U1, {});
    expect((await cast.U1.get('quota', 'mail')).data).toEqual({ quota: 2_097_152, use: 0 });
    await outside.dovecot.deliver('ann', `Subject: large\r\n\r\n${'x'.repeat(100)}\r\n`.repeat(80));
    const { data } = await cast.U1.get('quota', 'mail');
    expect(data.use).toBe(10_240);
    const account = { account_id: '0', account_name: 'Mail', ...data };
    expect((await cast.U1.get('quota', 'get', { module: 'mail', account: '0' })).data).toEqual(account);
  });

  it('is an error where the server refuses or does not answer, and the other limits are told all the same', async () => {
    await provision(cast.U2, { login: 'nobody' });
    expect((await cast.U2.get('quota', 'mail')).code).toBe('MSG-0091');
    await provision(cast.U3, { host: 'nowhere.test', port: 1993 });
    expect((await cast.U3.get('quota', 'mail')).code).toBe('MSG-0090');
    const answer = await cast.U3.get('quota', 'get');
    expect(answer).toMatchObject({ code: 'MSG-0090', category: 13 });
    expect(answer.data).toHaveProperty('calendar');
    expect(answer.data).not.toHaveProperty('mail');
  });
});
