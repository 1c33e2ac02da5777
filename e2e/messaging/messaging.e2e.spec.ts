import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AdminClient } from '../client';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const SERVICE = 'com.example.messaging.rss';
const item = (title: string, date: string) =>
  `<item><title>${title}</title><link>https://news.test/${title}</link><author>ann@news.test</author><pubDate>${date}</pubDate>
   <description>&lt;p&gt;text of ${title}&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;</description></item>`;
const FEED = `<rss version="2.0"><channel><title>News</title><image><url>https://news.test/i.png</url></image>
  ${item('a', '2020-01-01T00:00:00Z')}${item('c', '2020-01-03T00:00:00Z')}${item('b', '2020-01-02T00:00:00Z')}</channel></rss>`;

let server: Server;
let url: string;
let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url !== '/news') response.statusCode = 404;
    response.end(FEED);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/news`;
  world = await startTestEnvironment({
    variables: { GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1', GROUPWARE_OUTBOUND_WEB_PORTS: '1024-65535' },
    properties: { 'com.example.capability.messaging': 'true', 'com.example.messaging.maxAccounts': '3' },
  });
  cast = await createFixtures(world);
  const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  const users = `/admin/v1/contexts/${cast.contextId}/users`;
  await master.expect('PUT', `${users}/${cast.U3.userId}/config/com.example.capability.messaging`, { value: 'false' });
}, 120_000);
afterAll(async () => {
  await world?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const accounts = async (of: 'U1' | 'U2' = 'U1', query: Record<string, string> = {}): Promise<any[]> =>
  (await cast[of].get('messaging/account', 'all', query)).data;
const createAccount = async (configuration: unknown = { url }, displayName = 'News') =>
  cast.U1.put('messaging/account', 'new', {}, { messagingService: SERVICE, displayName, configuration });
const deleteAll = async () => {
  for (const { id, messagingService } of await accounts())
    await cast.U1.get('messaging/account', 'delete', { id, messagingService });
};

describe('messaging services', () => {
  it('XM-01 are listed; SVL-0016 for users without them', async () => {
    const { data } = await cast.U1.get('messaging/service', 'all');
    expect(data).toEqual([
      {
        id: SERVICE,
        displayName: 'RSS Feed',
        formDescription: [{ widget: 'text', name: 'url', displayName: 'URL', mandatory: true }],
        messagingActions: [],
      },
    ]);
    expect((await cast.U1.get('messaging/service', 'get', { id: SERVICE })).data).toEqual(data[0]);
    expect((await cast.U3.get('messaging/service', 'all')).code).toBe('SVL-0016');
    expect((await cast.U3.get('messaging/account', 'all')).code).toBe('SVL-0016');
  });

  it('XM-02 are none that nobody offers', async () => {
    for (const answer of [
      await cast.U1.get('messaging/service', 'get', { id: 'twitter' }),
      await cast.U1.get('messaging/account', 'all', { messagingService: 'twitter' }),
      await cast.U1.put('messaging/account', 'new', {}, { messagingService: 'twitter', displayName: 'T' }),
      await cast.U1.get('messaging/message', 'all', { folder: 'twitter://1/', columns: 'id' }),
    ])
      expect(answer.code).toBe('MESSAGING-0015');
  });
});

describe('messaging accounts', () => {
  afterEach(deleteAll);

  it('are made, changed and deleted', async () => {
    const { data: id } = await createAccount();
    expect(id).toEqual(expect.any(Number));
    const account = { id, messagingService: SERVICE, displayName: 'News', configuration: { url } };
    expect(await accounts()).toEqual([account]);
    expect(await accounts('U1', { messagingService: SERVICE })).toEqual([account]);
    const change = (fields: object) =>
      cast.U1.put('messaging/account', 'update', {}, { id, messagingService: SERVICE, ...fields });
    expect((await change({ displayName: 'Other' })).data).toBe(1);
    expect((await change({ configuration: { url: 'https://news.test/' } })).data).toBe(1);
    const read = () => cast.U1.get('messaging/account', 'get', { id, messagingService: SERVICE });
    expect((await read()).data).toEqual({
      ...account,
      displayName: 'Other',
      configuration: { url: 'https://news.test/' },
    });
    expect((await cast.U1.get('messaging/account', 'delete', { id, messagingService: SERVICE })).data).toBe(1);
    expect((await read()).code).toBe('MESSAGING-0004');
    expect((await cast.U1.get('messaging/account', 'delete', { id, messagingService: SERVICE })).code).toBe(
      'MESSAGING-0004',
    );
    expect((await change({ displayName: 'Gone' })).code).toBe('MESSAGING-0004');
  });

  it('are those of their user alone', async () => {
    const { data: id } = await createAccount();
    expect(await accounts('U2')).toEqual([]);
    const named = { id, messagingService: SERVICE };
    expect((await cast.U2.get('messaging/account', 'get', named)).code).toBe('MESSAGING-0004');
    expect((await cast.U2.get('messaging/account', 'delete', named)).code).toBe('MESSAGING-0004');
    expect((await cast.U2.put('messaging/account', 'update', {}, { ...named, displayName: 'x' })).code).toBe(
      'MESSAGING-0004',
    );
    const folder = `${SERVICE}://${id}/`;
    expect((await cast.U2.get('messaging/message', 'all', { folder, columns: 'id' })).code).toBe('MESSAGING-0004');
    expect(await accounts()).toHaveLength(1);
  });

  it('have what their service needs', async () => {
    expect((await createAccount({})).code).toBe('MESSAGING-0016');
    expect((await createAccount({ url }, ' ')).code).toBe('MESSAGING-0016');
    expect((await createAccount({ url: 'https://ann:secret@news.test/' })).code).toBe('MESSAGING-0017');
    expect(await accounts()).toEqual([]);
  });

  it('are at most as many as the limit says, however many are made at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => createAccount()));
    expect(answers.filter(({ code }) => code === 'QUOTA-0003')).toHaveLength(5);
    expect(await accounts()).toHaveLength(3);
  });
});

describe('messages', () => {
  let folder: string;
  beforeAll(async () => (folder = `${SERVICE}://${(await createAccount()).data}/`));
  afterAll(deleteAll);

  const list = (query: Record<string, string> = {}) =>
    cast.U1.get('messaging/message', 'all', { folder, columns: 'id,subject', ...query });
  const subjects = async (query?: Record<string, string>) =>
    (await list(query)).data.map(([, subject]: string[]) => subject);

  it('of a feed are its items, the newest first', async () => {
    expect(await subjects()).toEqual(['c', 'b', 'a']);
    expect(await subjects({ order: 'asc' })).toEqual(['a', 'b', 'c']);
    expect(await subjects({ sort: 'subject', order: 'asc' })).toEqual(['a', 'b', 'c']);
    const columns = 'folder,from,to,contentType,receivedDate,sentDate,flags,priority,url,picture,body';
    const [[...row]] = (await list({ columns })).data;
    expect(row).toEqual([
      ...[folder, 'ann@news.test', null, 'text/html', Date.UTC(2020, 0, 3), Date.UTC(2020, 0, 3), 0, 3],
      ...['https://news.test/c', 'https://news.test/i.png', expect.stringContaining('<p>text of c</p>')],
    ]);
    expect(row.at(-1)).not.toContain('script');
  });

  it('are read one by one and by their places', async () => {
    const [[id], [other]] = (await list()).data;
    const { data } = await cast.U1.get('messaging/message', 'get', { folder, id, peek: true });
    expect(data).toMatchObject({
      ...{ id, folder, url: 'https://news.test/c', receivedDate: Date.UTC(2020, 0, 3) },
      headers: { Subject: 'c', From: { address: 'ann@news.test', personal: 'ann@news.test' } },
    });
    const listed = (places: unknown) => cast.U1.put('messaging/message', 'list', { columns: 'subject,id' }, places);
    expect(
      (
        await listed([
          [folder, other],
          [folder, 'gone'],
          [folder, id],
        ])
      ).data,
    ).toEqual([
      ['b', other],
      ['c', id],
    ]);
    expect((await cast.U1.get('messaging/message', 'get', { folder, id: 'gone' })).code).toBe('MESSAGING-0025');
    for (const places of [{}, [[folder]], ['a'], [[1, 2]]]) expect((await listed(places)).code).toBe('SVL-0031');
  });

  it('have columns and folders that there are', async () => {
    expect((await list({ columns: 'id,nonsense' })).code).toBe('MESSAGING-0017');
    expect((await list({ columns: '__proto__' })).code).toBe('MESSAGING-0017');
    expect((await list({ sort: 'body' })).code).toBe('MESSAGING-0023');
    expect((await list({ folder: `${folder}sub` })).code).toBe('MESSAGING-0007');
    expect((await list({ folder: `${SERVICE}://999999/` })).code).toBe('MESSAGING-0004');
  });

  it('of a feed that is none tell why, and no address inside is reached', async () => {
    const read = async (address: string) => {
      const { data: id } = await createAccount({ url: address });
      const { code } = await list({ folder: `${SERVICE}://${id}/` });
      await cast.U1.get('messaging/account', 'delete', { id, messagingService: SERVICE });
      return code;
    };
    expect(await read(url.replace('/news', '/missing'))).toBe('RSS-0004');
    expect(await read('http://169.254.169.254/latest/meta-data')).toBe('RSS-0007');
  });

  it('are not sent, and know no actions', async () => {
    const send = (body: object) => cast.U1.put('messaging/message', 'send', {}, body);
    expect((await send({ folder, body: 'x' })).code).toBe('MESSAGING-0006');
    expect((await send({ body: 'x' })).code).toBe('MESSAGING-0016');
    const perform = (query: Record<string, string>) => cast.U1.put('messaging/message', 'perform', query, {});
    expect((await perform({ messageAction: 'tweet', folder })).code).toBe('MESSAGING-0010');
    expect((await perform({ messageAction: 'tweet', folder: `${SERVICE}://999999/` })).code).toBe('MESSAGING-0004');
  });
});
