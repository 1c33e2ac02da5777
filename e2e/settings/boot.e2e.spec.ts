import { Client } from '../client';
import { createFixtures, PASSWORD, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let cast: Fixtures;
beforeAll(async () => {
  world = await startTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

/** A log-in as the web client of the original makes it: everything in the form. */
async function enter(client: Client, form: Record<string, string> = {}): Promise<Record<string, any>> {
  const body = new URLSearchParams({
    ...{ action: 'login', name: cast.U1.loginName, password: PASSWORD, client: 'open-xchange-appsuite' },
    ...{ version: '7.10.4', timeout: '10000', rampup: 'true', rampUpFor: 'open-xchange-appsuite', ...form },
  });
  const answer = (await (await client.fetch('POST', '/login', {}, { body })).json()) as Record<string, any>;
  client.session = answer.session;
  return answer;
}

describe('the boot of the web client', () => {
  it('PY-05: has all start data with the login', async () => {
    const client = new Client(world.publicUrl, 'web client');
    const { rampup } = await enter(client);
    expect(rampup).not.toHaveProperty('errors');
    expect(Object.keys(rampup).sort()).toEqual(
      ['accounts', 'folder', 'folderlist', 'jslobs', 'oauth', 'serverConfig', 'user'].sort(),
    );
    expect(rampup.serverConfig).toMatchObject({
      manifests: [],
      languages: expect.any(Object),
      version: expect.any(String),
    });
    expect(rampup.jslobs['io.ox/core']).toMatchObject({ tree: { folder: { calendar: cast.U1.folder } } });
    expect(rampup.jslobs['io.ox/office']).toEqual({ id: 'io.ox/office', tree: {}, meta: {} });
    expect(rampup.folderlist['1'].map(([id]: string[]) => id)).toContain(cast.U1.folder);
    // The inbox is missing without a mail server.
    expect(rampup.folder).toEqual({ '1': expect.objectContaining({ id: '1', own_rights: expect.any(Number) }) });
    expect(rampup.user).toMatchObject({ id: String(cast.U1.userId), timezone: 'UTC' });
    // A row of a list without columns: clients read either by the same list of their own.
    expect(rampup.accounts).toEqual((await client.get('account', 'all')).data);
    expect(rampup.oauth).toEqual({ services: [], accounts: [], secretCheck: { secretWorks: true } });
  });

  it('returns to its session with the same data, also under their name', async () => {
    const client = new Client(world.publicUrl, 'web client');
    const { session, rampup } = await enter(client, { staySignedIn: 'true' });
    const parameters = { action: 'autologin', client: 'open-xchange-appsuite', rampup: true };
    const answer = (await (await client.fetch('GET', '/login', parameters)).json()) as Record<string, any>;
    expect(answer).toMatchObject({ session, rampup, serverConfig: rampup.serverConfig });
  });

  it('asks in one batch for what the log-in lacked', async () => {
    const client = new Client(world.publicUrl, 'web client');
    await enter(client);
    const trees = ['caldav', 'calendar', 'contacts', 'core', 'core/updates', 'files', 'mail', 'tasks'];
    const questions = [
      ...trees.map((name) => ({ module: 'jslob', action: 'list', data: [`io.ox/${name}`] })),
      { module: 'apps/manifests', action: 'config' },
      { module: 'oauth/accounts', action: 'all' },
      { module: 'oauth/services', action: 'all' },
      { module: 'onboarding', action: 'config' },
      { module: 'user', action: 'get', data: {} },
      { module: 'account', action: 'all' },
    ];
    const body = JSON.stringify(questions);
    const init = { body, headers: { 'content-type': 'text/javascript; charset=UTF-8' } };
    const response = await client.fetch('PUT', '/multiple', { session: client.session, continue: true }, init);
    const answers = (await response.json()) as { data?: any; code?: string }[];
    expect(answers.map(({ code }) => code)).toEqual(questions.map(() => undefined));
    expect(answers.slice(0, trees.length).map(({ data }) => data[0].id)).toEqual(trees.map((name) => `io.ox/${name}`));
    expect(answers[8]!.data.capabilities).toEqual((await client.get('capabilities', 'all')).data);
    expect(answers.slice(9, 11).map(({ data }) => data)).toEqual([[], []]);
    expect(answers[11]!.data.devices).toEqual(expect.any(Array));
    expect(answers[12]!.data).toMatchObject({ id: String(cast.U1.userId), timezone: 'UTC' });
    expect(answers[13]!.data).toEqual([expect.any(Array)]);
  });

  it('hears of no trouble with secrets and subscriptions', async () => {
    const client = new Client(world.publicUrl, 'web client');
    await enter(client);
    expect((await client.get('recovery/secret', 'check')).data).toEqual({ secretWorks: true });
    for (const module of ['subscriptions', 'subscriptionSources'])
      expect((await client.get(module, 'all')).data).toEqual([]);
  });

  it('opens and ends no session from within a batch', async () => {
    const client = new Client(world.publicUrl, 'web client');
    await enter(client);
    const calls = [
      { module: 'login', action: 'logout' },
      { module: 'login', action: 'tokens', data: {} },
      { module: 'system', action: 'time' },
    ];
    const answers = await client.fetch(
      'PUT',
      '/multiple',
      { session: client.session },
      { body: JSON.stringify(calls) },
    );
    expect(await answers.json()).toMatchObject([
      { code: 'SVL-0031' },
      { code: 'SVL-0031' },
      { data: expect.any(Number) },
    ]);
    expect((await client.get('system', 'whoami')).data).toBeDefined();
  });

  it('ends its session by POST', async () => {
    const client = new Client(world.publicUrl, 'web client');
    const { session } = await enter(client);
    expect((await client.get('system', 'whoami')).data).toBeDefined();
    const body = new URLSearchParams({ action: 'logout' });
    expect((await client.fetch('POST', '/login', { session }, { body })).status).toBe(200);
    expect((await client.get('system', 'whoami')).code).toMatch(/^SES-/);
  });
});
