import { all, created, HOUR } from '../calendar/calendar';
import { Client } from '../client';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let cast: Fixtures;
beforeAll(async () => {
  world = await startTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

describe('signs of life', () => {
  it('PY-01: need no session and set no cookie', async () => {
    const response = await fetch(`${world.publicUrl}/system?action=time`);
    const { data } = (await response.json()) as { data: number };
    expect(Math.abs(data - Date.now())).toBeLessThan(60_000);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('PY-02: tell nothing of a session without its secret', async () => {
    const thief = new Client(world.publicUrl);
    const answer = await thief.get('system', 'whoami', { session: cast.U1.session });
    expect(answer.code).toMatch(/^SES-/);
    expect(answer.data).toBeUndefined();
  });
});

describe('push notifications', () => {
  const subscribe = (user: Client, body: object) => user.put('pns', 'subscribe', {}, body);
  const device = { client: 'mobile', transport: 'gcm' };

  it('PO-01: take topics that are some', async () => {
    const base = { ...device, token: 'device one' };
    expect((await subscribe(cast.U1, base)).code).toBe('SVL-0002');
    expect((await subscribe(cast.U1, { ...base, topics: ['a b'] })).code).toBe('PNS-0007');
    for (const topics of [['*'], ['a:*']])
      expect((await subscribe(cast.U1, { ...base, topics })).data).toEqual({ success: true });
  });

  it('PO-02, PO-03: of a device go to its next user, and end without a trace', async () => {
    const base = { ...device, token: 'device two' };
    for (const user of [cast.U1, cast.U2])
      expect((await subscribe(user, { ...base, topics: ['*'] })).data).toEqual({ success: true });
    for (const token of ['device two', 'unknown'])
      expect((await cast.U2.put('pns', 'unsubscribe', {}, { ...device, token })).data).toEqual({ success: true });
  });
});

describe('a refresh of folders', () => {
  it('PO-05: clears them, and answers those that it left alone', async () => {
    await created(cast.U1, { start_date: Date.UTC(2031, 0, 6), end_date: Date.UTC(2031, 0, 6) + HOUR });
    const foreign = cast.U2.folder;
    const answer = await cast.U1.put('sync', 'refresh_server', {}, [cast.U1.folder, '999999', foreign, '1']);
    expect(answer.data).toEqual(['999999', foreign, '1']);
    expect(answer).not.toHaveProperty('error');
    expect(await all(cast.U1, '1')).toEqual([]);
  });
});

describe('other modules', () => {
  it('PO-08: a jump needs a system', async () => {
    expect((await cast.U1.get('jump', 'identityToken')).code).toBe('SVL-0002');
  });

  it.each(['mail/sendaddress', 'modules/mail/sendaddress'])(
    'PC-07: mail is sent from own addresses only (%s)',
    async (setting) => {
      const call = async (method: string, path: string, address?: string) => {
        const init = address === undefined ? {} : { body: JSON.stringify(address) };
        const response = await cast.U1.fetch(method, `/config/${path}`, { session: cast.U1.session }, init);
        return (await response.json()) as { data?: unknown };
      };
      expect(await call('PUT', setting, 'somebody@else.example')).toMatchObject({ code: 'USS-0009' });
      expect(await call('PUT', setting, cast.U1.email)).not.toHaveProperty('code');
      for (const path of ['mail/sendaddress', 'modules/mail/sendaddress'])
        expect((await call('GET', path)).data).toBe(cast.U1.email);
      expect((await call('GET', 'modules/mail')).data).toMatchObject({ sendaddress: cast.U1.email });
    },
  );

  it('PC-01: settings of mail keep their types', async () => {
    const response = await cast.U1.fetch('GET', '/config/modules/mail/linewrap', { session: cast.U1.session });
    expect(((await response.json()) as { data: unknown }).data).toEqual(expect.any(Number));
  });
});

describe('a method that clients choose otherwise', () => {
  it('is taken where module and action say what is meant', async () => {
    expect((await cast.U1.call('PUT', 'reminder', 'range', { end: 0 }, {})).data).toEqual([]);
    expect((await cast.U1.call('POST', 'jslob', 'list', {}, ['x'])).data).toHaveLength(1);
    const groups = await cast.U1.put('group', 'all', { columns: '1' }, undefined);
    expect(groups.data).not.toEqual([]);
    expect(await cast.U1.get('group', 'all', { columns: '1' })).toEqual(groups);
    // Browsers send GET by themselves: it changes nothing.
    expect((await cast.U1.get('jslob', 'set', { id: 'x' })).code).toBe('SVL-0024');
  });
});
