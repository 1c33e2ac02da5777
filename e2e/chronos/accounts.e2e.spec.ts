import { WebServer } from '@groupware/test-kit';
import type { Envelope } from '../client';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type LocalTestEnvironment } from '../test-environment';
import { dataOf, FORCE } from './events';

const MEGABYTE = 1_048_576;
const event = (uid: number) =>
  `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTAMP:20200101T000000Z\r\nDTSTART:20200907T110000Z\r\nSUMMARY:S${uid}\r\nEND:VEVENT\r\n`;
const calendar = (properties: readonly string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...properties, ''].join('\r\n') +
  `${event(1)}${event(2)}${event(3)}END:VCALENDAR\r\n`;
const FILES: Readonly<Record<string, string>> = {
  '/a': calendar([
    'X-WR-CALNAME:Holidays\\, all of them',
    'X-WR-CALDESC:Of Hesse',
    'X-APPLE-CALENDAR-COLOR:#FF2968FF',
    'REFRESH-INTERVAL;VALUE=DURATION:P1D',
  ]),
  '/plain.ics': calendar([]),
  '/page': '<html><body>BEGIN:VCALENDAR</body></html>',
  '/empty': '',
  '/large': calendar([`X-NOTE:${'x'.repeat(6 * MEGABYTE)}`]),
  '/many': `BEGIN:VCALENDAR\r\n${'NAME:x\r\n'.repeat(400_000)}END:VCALENDAR\r\n`,
};
const STATUSES: Readonly<Record<string, number>> = { '/gone': 410, '/503': 503, '/500': 500, '/403': 403 };
const PASSWORD = 'secret-of-the-feed';

let web: WebServer;
let url: string;
let world: LocalTestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  web = await WebServer.start((path, response, request) => {
    if (path === '/inward') return void response.writeHead(302, { location: 'http://127.0.0.2/a' }).end();
    if (path === '/away') return void response.writeHead(302, { location: '/a' }).end();
    // It begins, and never ends.
    if (path === '/drip') return void response.writeHead(200).write('BEGIN:VCALENDAR\r\n');
    if (path === '/private') {
      const right = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`;
      return void response.writeHead(request.headers.authorization === right ? 200 : 401).end(FILES['/plain.ics']);
    }
    const file = FILES[path];
    response.writeHead(STATUSES[path] ?? (file === undefined ? 404 : 200)).end(file);
  });
  ({ url } = web);
  world = await startTestEnvironment({
    variables: {
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
      GROUPWARE_OUTBOUND_WEB_PORTS: '80,443,1024-65535',
      GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0',
      CALENDAR_FEED_TIMEOUT_MS: '3000',
    },
    properties: {},
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await web?.close();
});

const probe = (config: object | undefined, rest: object = {}): Promise<Envelope> =>
  cast.U1.put(
    'chronos/account',
    'probe',
    {},
    { 'com.openexchange.calendar.provider': 'ical', 'com.openexchange.calendar.config': config, ...rest },
  );
/** Addresses of this machine by its name. */
const LOCAL = ['http://localhost/x', 'https://localhost/', 'http://LOCALHOST:80', 'http://localhost.:25/'];
const codeFor = async (uri: string, login: object = {}): Promise<string | undefined> =>
  (await probe({ uri, ...login })).code;

describe('calendars of the web', () => {
  it('CP-01 are described by what they say of themselves, and make no folder', async () => {
    const folders = () => cast.U1.get('folders', 'allVisible', { content_type: 'event', columns: '1' });
    const before = (await folders()).data;
    expect((await probe({ uri: `${url}/a` })).data).toEqual({
      'com.openexchange.calendar.provider': 'ical',
      'com.openexchange.calendar.config': { uri: `${url}/a`, refreshInterval: 1440 },
      'com.openexchange.calendar.extendedProperties': {
        description: { value: 'Of Hesse' },
        color: { value: '#FF2968' },
      },
      title: 'Holidays, all of them',
    });
    expect((await folders()).data).toEqual(before);
  });

  it('are read under the names of this product as well', async () => {
    const body = {
      'com.example.calendar.provider': 'ical',
      'com.example.calendar.config': { uri: `${url}/a` },
      'com.example.calendar.extendedProperties': { color: { value: 'red' } },
    };
    expect(dataOf(await cast.U1.put('chronos/account', 'probe', {}, body))).toMatchObject({
      'com.openexchange.calendar.config': { uri: `${url}/a` },
      'com.openexchange.calendar.extendedProperties': { color: { value: 'red' } },
      title: 'Holidays, all of them',
    });
    const folder = { module: 'event', title: 'Ours', ...body };
    const id = dataOf(await cast.U1.put('folders', 'new', { tree: '0', folder_id: '1' }, { folder }));
    expect(id).toMatch(/^cal:\/\/[1-9]\d*\/0$/);
    const blue = { folder: { 'com.example.calendar.extendedProperties': { color: { value: 'blue' } } } };
    dataOf(await cast.U1.put('folders', 'update', { tree: '0', id, timestamp: FORCE }, blue));
    expect(dataOf(await cast.U1.get('folders', 'get', { tree: '0', id }))).toMatchObject({
      'com.openexchange.calendar.provider': 'ical',
      'com.openexchange.calendar.extendedProperties': { color: { value: 'blue' } },
    });
    const columns = 'title,com.example.calendar.provider';
    const { data } = await cast.U1.get('folders', 'allVisible', { content_type: 'event', columns });
    expect(data.private).toContainEqual(['Ours', 'ical']);
  });

  it('keep what the body says, and are named after their file otherwise', async () => {
    const given = {
      title: 'Mine',
      'com.openexchange.calendar.extendedProperties': { color: { value: 'red' }, usedForSync: { value: 'true' } },
    };
    expect((await probe({ uri: `${url}/a`, refreshInterval: 60 }, given)).data).toMatchObject({
      'com.openexchange.calendar.config': { refreshInterval: 60 },
      'com.openexchange.calendar.extendedProperties': {
        ...given['com.openexchange.calendar.extendedProperties'],
        description: { value: 'Of Hesse' },
      },
      title: 'Mine',
    });
    expect((await probe({ uri: `${url}/plain.ics` })).data.title).toBe('plain');
    expect((await probe({ uri: `${url.replace('http', 'webcal')}/away` })).data.title).toBe('Holidays, all of them');
    expect((await probe({ uri: `${url}/many` })).data.title).toBe('x');
  });

  it('CP-03 are not inside', async () => {
    for (const uri of ['http://127.0.0.2/x.ics', 'http://[::1]/', 'file:///etc/passwd', ...LOCAL])
      expect([uri, await codeFor(uri)]).toEqual([uri, 'ICAL-PROV-4042']);
    expect(await codeFor(`${url}/inward`)).toMatch(/^ICAL-PROV-/);
    expect(await codeFor('http://nowhere.invalid/')).toBe('ICAL-PROV-5003');
  });

  it('have an address', async () => {
    expect((await probe(undefined)).code).toBe('ICAL-PROV-4040');
    expect((await probe({})).code).toBe('ICAL-PROV-4040');
    for (const uri of ['x', '\ud800', `http://ann:${PASSWORD}@127.0.0.1/`])
      expect([uri, await codeFor(uri)]).toEqual([uri, 'ICAL-PROV-4041']);
    const other = { 'com.openexchange.calendar.provider': 'google' };
    expect((await probe({ uri: `${url}/a` }, other)).code).toBe('CAL-5030');
  });

  it('are not tried where nobody may subscribe to them', async () => {
    await world.setProperties({ 'com.example.calendar.ical.enabled': 'false' });
    const before = web.asked.length;
    expect(await codeFor(`${url}/a`)).toBe('CAL-5030');
    expect(web.asked.length).toBe(before);
    await world.setProperties();
    expect(await codeFor(`${url}/a`)).toBeUndefined();
  });

  it('CP-04 are bounded, and calendars', async () => {
    for (const path of ['/missing', '/gone', '/page', '/empty'])
      expect([path, await codeFor(url + path)]).toEqual([path, 'ICAL-PROV-4043']);
    expect(await codeFor(`${url}/large`)).toBe('ICAL-PROV-4001');
    expect(await codeFor(`${url}/503`)).toBe('ICAL-PROV-5031');
    expect(await codeFor(`${url}/500`)).toBe('ICAL-PROV-5032');
    expect(await codeFor(`${url}/403`)).toBe('ICAL-PROV-5033');
  });

  it('are given up when they drip', async () => {
    expect(await codeFor(`${url}/drip`)).toBe('ICAL-PROV-5003');
    expect(web.asked.map(({ path }) => path)).toContain('/drip');
  });

  it('CP-05 may ask for a login, whose password no answer holds', async () => {
    const uri = `${url}/private`;
    expect(await codeFor(uri)).toBe('ICAL-PROV-4010');
    expect(await codeFor(uri, { login: 'ann', password: 'wrong' })).toBe('ICAL-PROV-4011');
    const { data } = await probe({ uri, login: 'ann', password: PASSWORD });
    expect(data['com.openexchange.calendar.config']).toEqual({ uri, login: 'ann' });
    expect(JSON.stringify(data)).not.toContain(PASSWORD);
  });
});
