import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ICAL from 'ical.js';
import { createFixtures, createTestUser, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { AdminClient, Client } from '../client';
import { created, DAY, HOUR } from '../calendar/calendar';
import { calendarOf, invite, linkOf, shareOf, Visitor } from '../sharing/sharing';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { COLLEAGUES, OUTSIDERS, OWN, type Door, type Question, type Target } from './doors';

/** Monday, 7 September 2020, 00:00 UTC. */
const MONDAY = Date.UTC(2020, 8, 7);
const NINE = MONDAY + 9 * HOUR;

let world: TestEnvironment;
let cast: Fixtures;
let services: AdminClient;

beforeAll(async () => {
  world = await startTestEnvironment({
    variables: {
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
      GROUPWARE_OUTBOUND_WEB_PORTS: '1024-65535',
      GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0',
      FREEBUSY_SOURCE_ALLOW_PLAIN: 'true',
    },
  });
  cast = await createFixtures(world);
  services = new AdminClient(world.internalUrl, world.service.login, world.service.password);
}, 120_000);
afterAll(() => world?.close());

let people = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `busy${++people}`);
const path = (rest: string): string => `/preliminary/chronos/v1/freebusy/${cast.contextId}${rest}`;
const ask = (rest: string) => services.request('GET', path(rest));
const timesOf = async (player: TestUser, query = `from=${MONDAY}&until=${MONDAY + 7 * DAY}`) => {
  const { status, body } = await ask(`/${player.userId}?${query}`);
  expect(status).toBe(200);
  return body;
};
const busy = (from: number, until: number, fbType = 'BUSY') => ({ startTime: from, endTime: until, fbType });
const property = (user: TestUser, key: string, value: unknown) =>
  cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${user.userId}/config/${key}`, { value });

describe('free/busy: administrative', () => {
  it('FB-01: tells when a user is busy, and never why', async () => {
    const ann = await someone();
    await created(ann, { title: 'Secret project', start_date: NINE, end_date: NINE + HOUR });
    const body = await timesOf(ann, 'from=1599465600000&until=1599555600000');
    expect(body).toEqual({
      attendee: {
        entity: ann.userId,
        cuType: 'INDIVIDUAL',
        uri: `mailto:${ann.email}`,
        cn: expect.any(String),
        email: ann.email,
      },
      freeBusyTime: [{ startTime: 1_599_469_200_000, endTime: 1_599_472_800_000, fbType: 'BUSY' }],
    });
    expect(JSON.stringify(body)).not.toContain('Secret');
  });

  it('FB-02: tells tentative, absent and free times apart', async () => {
    const ann = await someone();
    for (const [index, shown_as] of [2, 3, 4].entries())
      await created(ann, { start_date: NINE + index * 2 * HOUR, end_date: NINE + (index * 2 + 1) * HOUR, shown_as });
    expect((await timesOf(ann)).freeBusyTime).toEqual([
      busy(NINE, NINE + HOUR, 'BUSY-TENTATIVE'),
      busy(NINE + 2 * HOUR, NINE + 3 * HOUR, 'BUSY-UNAVAILABLE'),
      busy(NINE + 4 * HOUR, NINE + 5 * HOUR, 'FREE'),
    ]);
  });

  it('FB-02: tells the times of tentative events, and of those that were called off, by their status', async () => {
    const ann = await someone();
    const states = [{ status: 'TENTATIVE' }, { status: 'CANCELLED' }, { status: 'CONFIRMED' }];
    const free = { status: 'TENTATIVE', transp: 'TRANSPARENT' };
    for (const [index, fields] of [...states, free].entries()) {
      const [startDate, endDate] = [10, 11].map((hour) => ({ value: `20200907T${hour + index}0000Z` }));
      const answer = await ann.put(
        'chronos',
        'new',
        { folder: `cal://0/${ann.folder}` },
        { summary: 'E', startDate, endDate, ...fields },
      );
      expect(answer.data.created).toHaveLength(1);
    }
    const types = ['BUSY-TENTATIVE', 'FREE', 'BUSY', 'FREE'];
    const TEN = Date.UTC(2020, 8, 7, 10);
    expect((await timesOf(ann)).freeBusyTime).toEqual(
      types.map((type, index) => busy(TEN + index * HOUR, TEN + (index + 1) * HOUR, type)),
    );
    const { data } = await ann.get('freebusy', 'get', { participant: ann.userId, from: MONDAY, until: MONDAY + DAY });
    expect(data.map(({ shown_as }: { shown_as: number }) => shown_as)).toEqual([2, 4, 1, 4]);
  });

  it('FB-03: joins touching times unless told not to', async () => {
    const ann = await someone();
    await created(ann, { start_date: NINE, end_date: NINE + HOUR });
    await created(ann, { start_date: NINE + HOUR, end_date: NINE + 2 * HOUR });
    const range = `from=${MONDAY}&until=${MONDAY + DAY}`;
    expect((await timesOf(ann, range)).freeBusyTime).toEqual([busy(NINE, NINE + 2 * HOUR)]);
    expect((await timesOf(ann, `${range}&merge=true`)).freeBusyTime).toHaveLength(1);
    expect((await timesOf(ann, `${range}&merge=false`)).freeBusyTime).toEqual([
      busy(NINE, NINE + HOUR),
      busy(NINE + HOUR, NINE + 2 * HOUR),
    ]);
  });

  it('FB-04: answers in the order asked for, by id and address, repeated or in a list', async () => {
    const { U1, U2, U3 } = cast;
    const { status, body } = await ask(`?attendees=${U3.userId},${U2.email.toUpperCase()}&attendees=${U1.userId}`);
    expect(status).toBe(200);
    expect(body.map(({ attendee }: { attendee: { entity: number } }) => attendee.entity)).toEqual([
      U3.userId,
      U2.userId,
      U1.userId,
    ]);
  });

  it('FB-05: knows aliases, resources and rooms by address', async () => {
    const ann = await someone();
    const user = `/admin/v1/contexts/${cast.contextId}/users/${ann.userId}`;
    const { headers } = await cast.admin.request('GET', user);
    await cast.admin.request(
      'PATCH',
      user,
      { aliases: [ann.email, `nick-${ann.email}`] },
      { 'if-match': headers.get('etag') ?? '*' },
    );
    await created(ann, {
      start_date: NINE,
      end_date: NINE + HOUR,
      participants: [
        { type: 1, id: ann.userId },
        { type: 3, id: cast.room },
      ],
    });
    const room = `room@c${cast.contextId}.example`;
    const { body } = await ask(
      `?attendees=nick-${ann.email},mailto:${room},${room}&from=${MONDAY}&until=${MONDAY + DAY}`,
    );
    expect(body).toMatchObject([
      { attendee: { entity: ann.userId }, freeBusyTime: [busy(NINE, NINE + HOUR)] },
      { attendee: { entity: cast.room, cuType: 'ROOM' }, freeBusyTime: [busy(NINE, NINE + HOUR)] },
      { attendee: { entity: cast.room }, freeBusyTime: [busy(NINE, NINE + HOUR)] },
    ]);
  });

  it('FB-06: keeps the times of those who hide them, and of strangers, to itself', async () => {
    const [ann, bob] = await Promise.all([someone(), someone()]);
    await created(ann, { start_date: NINE, end_date: NINE + HOUR });
    await property(ann, 'com.example.calendar.freeBusyVisibility', 'none');
    await property(bob, 'com.example.calendar.freeBusyVisibility', 'internal-only');
    const { body } = await ask(`?attendees=${ann.userId},${bob.userId},nobody@nowhere.example,99999999`);
    expect(body.map((each: { warnings?: { code: string }[] }) => each.warnings?.map(({ code }) => code))).toEqual([
      ['CAL-40312'],
      ['CAL-40312'],
      ['CAL-5033'],
      ['CAL-5033'],
    ]);
    for (const each of body) expect(each).not.toHaveProperty('freeBusyTime');
    expect(body[2].attendee).toEqual({
      cuType: 'INDIVIDUAL',
      uri: 'mailto:nobody@nowhere.example',
      email: 'nobody@nowhere.example',
    });
    expect(body[3].attendee).toMatchObject({ cuType: 'UNKNOWN' });
    await property(ann, 'com.example.calendar.freeBusyVisibility', 'all');
    expect((await timesOf(ann)).freeBusyTime).toHaveLength(1);
  });

  it('FB-07: takes points in time in every notation', async () => {
    const ann = await someone();
    await created(ann, { start_date: MONDAY - HOUR, end_date: MONDAY + HOUR });
    await created(ann, { start_date: MONDAY + 23 * HOUR, end_date: MONDAY + 25 * HOUR });
    expect((await timesOf(ann, 'from=20200907&until=2020-09-08T00:00:00Z')).freeBusyTime).toEqual([
      busy(MONDAY, MONDAY + HOUR),
      busy(MONDAY + 23 * HOUR, MONDAY + DAY),
    ]);
  });

  it.each([
    ['from=1599555600000&until=1599465600000', 'FBY-0002'],
    ['from=tomorrow', 'FBY-0001'],
    ['from=20200907&until=20240907', 'FBY-0003'],
  ])('FB-08: refuses %s', async (query, code) => {
    const answers = await Promise.all([
      ask(`/${cast.U1.userId}?${query}`),
      ask(`?attendees=${cast.U1.userId}&${query}`),
    ]);
    for (const { status, body } of answers) expect({ status, code: body.code }).toEqual({ status: 400, code });
  });

  it.each([
    ['', 'SVL-0002'],
    ['?attendees=', 'SVL-0002'],
    ['?attendees=,%20,', 'FBY-0004'],
    ['?attendees=word', 'FBY-0006'],
    [`?attendees=${Array.from({ length: 201 }, (_each, index) => index + 1).join(',')}`, 'FBY-0005'],
  ])('FB-08: refuses attendees %#', async (query, code) => {
    const { status, body } = await ask(query);
    expect({ status, code: body.code }).toEqual({ status: 400, code });
  });

  it('FB-09: does not know other contexts and users', async () => {
    for (const rest of [`999999999?attendees=1`, `999999999/3`]) {
      const { status, body } = await services.request('GET', `/preliminary/chronos/v1/freebusy/${rest}`);
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'CTX-0002' });
    }
    for (const id of [99_999_999, cast.room]) {
      const { status, body } = await ask(`/${id}`);
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'FBY-0008' });
    }
  });

  it('leaves out what is declined or private, and takes whole days in the zone of the user', async () => {
    const berlin = await createTestUser(world, cast.admin, cast.contextId, `berlin${++people}`, 'Europe/Berlin');
    await created(berlin, { start_date: MONDAY, end_date: MONDAY + DAY, full_time: true });
    const id = await created(cast.U1, {
      start_date: NINE + DAY,
      end_date: NINE + DAY + HOUR,
      participants: [cast.U1, berlin].map(({ userId }) => ({ type: 1, id: userId })),
    });
    const declined = await berlin.put(
      'calendar',
      'confirm',
      { id, folder: berlin.folder, timestamp: 9_000_000_000_000 },
      { confirmation: 2 },
    );
    expect(declined.error).toBeUndefined();
    expect((await timesOf(berlin)).freeBusyTime).toEqual(
      [busy(MONDAY - 2 * HOUR, MONDAY + 22 * HOUR)].map((period) => ({
        ...period,
        startTime: Math.max(period.startTime, MONDAY),
      })),
    );
  });
});

describe('free/busy: clients', () => {
  const range = { from: MONDAY, until: MONDAY + 7 * DAY };

  it('answers the older module', async () => {
    const ann = await someone();
    await created(ann, { start_date: NINE, end_date: NINE + HOUR, shown_as: 2 });
    await created(ann, { start_date: NINE, end_date: NINE + HOUR });
    const get = (participant: string | number, more = {}) =>
      cast.U2.get('freebusy', 'get', { participant, ...range, ...more });
    expect((await get(ann.userId)).data).toEqual([
      { start_date: NINE, end_date: NINE + HOUR, shown_as: 2 },
      { start_date: NINE, end_date: NINE + HOUR, shown_as: 1 },
    ]);
    const place = { location: 'L', title: 'T', start_date: NINE + DAY, end_date: NINE + DAY + HOUR };
    const id = await created(ann, { ...place, participants: [ann, cast.U2].map((x) => ({ type: 1, id: x.userId })) });
    const shared = { ...place, id, folder_id: cast.U2.folder, shown_as: 1, full_time: false };
    expect((await get(ann.userId)).data.slice(2)).toEqual([shared]);
    for (const participant of [ann.userId, String(ann.userId)]) {
      const { data: many } = await cast.U2.put('freebusy', 'list', range, [participant]);
      expect(many[ann.userId].data.slice(2)).toEqual([shared]);
    }
    await ann.put('calendar', 'delete', { timestamp: 9_000_000_000_000 }, { id, folder: ann.folder });
    expect((await get(ann.email, { merged: true })).data).toEqual([
      { start_date: NINE, end_date: NINE + HOUR, shown_as: 1 },
    ]);
    expect(await get('nobody@nowhere.example')).toMatchObject({ data: [], warnings: { code: 'CAL-5033' } });
    expect((await get('word')).code).toBe('FBY-0006');
    expect((await get(ann.userId, { until: range.from })).code).toBe('FBY-0002');
    expect((await get(ann.userId, { until: range.from + 800 * DAY })).code).toBe('FBY-0003');
    const list = (body: string[], more = {}) =>
      cast.U2.put('freebusy', 'list', { ...range, merged: true, ...more }, body);
    expect((await list([ann.email, String(cast.U3.userId), '99999999'])).data).toEqual({
      [ann.email]: { data: [{ start_date: NINE, end_date: NINE + HOUR, shown_as: 1 }] },
      [String(cast.U3.userId)]: { data: [] },
      '99999999': { data: [], warnings: [expect.objectContaining({ code: 'CAL-5033' })] },
    });
    expect((await list([])).data).toEqual({});
    expect((await list(['word'])).code).toBe('FBY-0006');
    expect((await list(Array.from({ length: 1001 }, String))).code).toBe('FBY-0005');
    expect((await list(['1'], { until: 0 })).code).toBe('FBY-0002');
    expect((await list(['1'], { until: range.from + 800 * DAY })).code).toBe('FBY-0003');
  });

  it('answers the event module, the hidden times of oneself too, without the masked event', async () => {
    const ann = await someone();
    await property(ann, 'com.example.calendar.freeBusyVisibility', 'none');
    const id = await created(ann, { start_date: NINE, end_date: NINE + HOUR });
    await created(ann, { start_date: NINE + HOUR, end_date: NINE + 2 * HOUR });
    const ask = (player: TestUser, parameters: Record<string, string | boolean>, attendees: object[]) =>
      player.put(
        'chronos',
        'freeBusy',
        { from: '20200907T000000Z', until: '20200914T000000Z', ...parameters },
        { attendees },
      );
    const [own] = (await ask(ann, { merge: true }, [{ entity: ann.userId }])).data;
    expect(own.freeBusyTime).toEqual([busy(NINE, NINE + 2 * HOUR)]);
    const [masked] = (await ask(ann, { maskId: id }, [{ uri: `mailto:${ann.email}` }])).data;
    expect(masked.freeBusyTime).toEqual([{ ...busy(NINE + HOUR, NINE + 2 * HOUR), event: expect.any(Object) }]);
    const [others] = (await ask(cast.U2, {}, [{ email: ann.email }])).data;
    expect(others).toMatchObject({ attendee: { entity: ann.userId }, warnings: [{ code: 'CAL-40312' }] });
    const odd = [{ entity: null, email: ann.email }, { entity: 0, uri: `mailto:${ann.email}` }, { uri: 'urn:uuid:1' }];
    expect((await ask(ann, {}, odd)).data).toMatchObject([
      { attendee: { entity: ann.userId } },
      { attendee: { entity: ann.userId } },
      { attendee: { cuType: 'UNKNOWN', uri: 'urn:uuid:1' }, freeBusyTime: [], warnings: [{ code: 'CAL-5033' }] },
    ]);
    expect((await ask(ann, {}, [])).data).toEqual([]);
    expect((await ask(ann, {}, [{}])).code).toBe('FBY-0006');
    const malformed = { code: 'SVL-0010', error_params: ['from', 'word'] };
    expect(await ask(ann, { from: 'word' }, [{ entity: 3 }])).toMatchObject(malformed);
    for (const from of [String(NINE), '2020-09-07T00:00:00Z', '20200931', '20200907T00'])
      expect(await ask(ann, { from }, [{ entity: 3 }])).toMatchObject({
        code: 'SVL-0010',
        error_params: ['from', from],
      });
    expect((await ask(ann, { until: '20200901' }, [{ entity: 3 }])).code).toBe('FBY-0002');
    expect((await ask(ann, { until: '20300901' }, [{ entity: 3 }])).code).toBe('FBY-0003');
    expect(
      (
        await ask(
          ann,
          {},
          Array.from({ length: 1001 }, () => ({ entity: 3 })),
        )
      ).code,
    ).toBe('FBY-0005');
  });

  it('CB-01: names events only where they may be read, and none in merged times', async () => {
    const [ann, bob, eve] = await Promise.all([someone(), someone(), someone()]);
    const at = { from: '20200907T000000Z', until: '20200908T000000Z' };
    const id = await created(ann, {
      title: 'Shared',
      location: 'Berlin',
      start_date: NINE,
      end_date: NINE + HOUR,
      participants: [{ type: 1, id: bob.userId }],
    });
    await created(ann, { title: 'Own', start_date: NINE + HOUR, end_date: NINE + 2 * HOUR });
    const ask = async (player: TestUser, merge: boolean) =>
      (await player.put('chronos', 'freeBusy', { ...at, merge }, { attendees: [{ entity: ann.userId }] })).data[0]
        .freeBusyTime;
    const [shared, own] = [busy(NINE, NINE + HOUR), busy(NINE + HOUR, NINE + 2 * HOUR)];
    const event = { id, folder: `cal://0/${bob.folder}`, summary: 'Shared', location: 'Berlin' };
    expect(await ask(bob, false)).toEqual([{ ...shared, event }, own]);
    expect(await ask(ann, false)).toMatchObject([
      { event: { id, folder: `cal://0/${ann.folder}` } },
      { event: { summary: 'Own' } },
    ]);
    expect(await ask(eve, false)).toEqual([shared, own]);
    for (const player of [ann, bob, eve]) expect(await ask(player, true)).toEqual([busy(NINE, NINE + 2 * HOUR)]);
  });

  it('CB-01: tells whole times, none that are free, tentative ones as such, and those of a group together', async () => {
    const [ann, bob] = await Promise.all([someone(), someone()]);
    const event = async (hour: number, fields: object = {}): Promise<string> => {
      const times = { startDate: { value: `20200907T${hour}0000Z` }, endDate: { value: `20200907T${hour + 1}0000Z` } };
      const query = { folder: `cal://0/${ann.folder}` };
      const { data } = await ann.put('chronos', 'new', query, { summary: 'E', ...times, ...fields });
      return data.created[0].id;
    };
    const attendees = [{ entity: ann.userId }, { entity: bob.userId }];
    await event(10);
    await event(12, { transp: 'TRANSPARENT' });
    await event(14, { status: 'TENTATIVE' });
    const id = await event(16, { attendees });
    await bob.put(
      'chronos',
      'updateAttendee',
      { folder: `cal://0/${bob.folder}`, id, timestamp: 9_000_000_000_000 },
      { attendee: { entity: bob.userId, partStat: 'TENTATIVE' } },
    );
    await ann.put(
      'chronos',
      'new',
      { folder: `cal://0/${ann.folder}` },
      {
        ...{ summary: 'Seen', startDate: { value: '20200907T180000Z' }, endDate: { value: '20200907T190000Z' } },
        attendees,
      },
    );
    const { id: group } = await cast.admin.expect('POST', `/admin/v1/contexts/${cast.contextId}/groups`, {
      ...{ name: `busy${ann.userId}`, displayName: 'Busy', members: [ann.userId, bob.userId] },
    });
    const ask = async (query: object, asked: object[]): Promise<any[]> =>
      (
        await ann.put(
          'chronos',
          'freeBusy',
          { from: '20200907T103000Z', until: '20200907T183000Z', ...query },
          { attendees: asked },
        )
      ).data;
    const NINE_UTC = Date.UTC(2020, 8, 7, 9);
    const at = (hour: number, type = 'BUSY') => busy(NINE_UTC + (hour - 9) * HOUR, NINE_UTC + (hour - 8) * HOUR, type);
    const timesOf = (result: any): any[] => result.freeBusyTime.map(({ event: _event, ...time }: any) => time);
    const [anns, bobs, both] = await ask({}, [
      { entity: ann.userId },
      { entity: bob.userId },
      { entity: group, cuType: 'GROUP' },
    ]);
    expect(timesOf(anns)).toEqual([at(10), at(14, 'BUSY-TENTATIVE'), at(16), at(18)]);
    expect(timesOf(bobs)).toEqual([at(16, 'BUSY-TENTATIVE'), at(18)]);
    expect(both).toMatchObject({ attendee: { entity: group, cuType: 'GROUP' } });
    expect(both.freeBusyTime).toEqual([at(10), at(14, 'BUSY-TENTATIVE'), at(16), at(18)]);
    const [merged] = await ask({ merge: true }, [{ entity: group, cuType: 'GROUP' }]);
    expect(merged.freeBusyTime).toEqual(both.freeBusyTime);
  });

  it('CB-02: answers attendees in order, with an empty list for those whom nobody knows', async () => {
    const ann = await someone();
    await created(ann, { start_date: NINE, end_date: NINE + HOUR });
    const attendees = [{ entity: ann.userId }, { entity: 999_999 }, { uri: 'mailto:zoe@elsewhere.example' }];
    const at = { from: '20200907T000000Z', until: '20200908T000000Z' };
    expect((await cast.U2.put('chronos', 'freeBusy', at, { attendees })).data).toMatchObject([
      { attendee: { entity: ann.userId }, freeBusyTime: [busy(NINE, NINE + HOUR)] },
      { attendee: { uri: '999999' }, freeBusyTime: [], warnings: [{ code: 'CAL-5033' }] },
      { attendee: { uri: 'mailto:zoe@elsewhere.example' }, freeBusyTime: [], warnings: [{ code: 'CAL-5033' }] },
    ]);
  });

  it('shows times that are for users of the context only', async () => {
    const ann = await someone();
    await property(ann, 'com.example.calendar.freeBusyVisibility', 'internal-only');
    await created(ann, { start_date: NINE, end_date: NINE + HOUR });
    expect((await cast.U2.get('freebusy', 'get', { participant: ann.userId, ...range })).data).toHaveLength(1);
  });
});

describe('free/busy: with calendars elsewhere', () => {
  let elsewhere: Server;
  let url: string;
  const files: Readonly<Record<string, string>> = {
    '/feed.ics':
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20200101T000000Z\r\nDTSTART:20200907T110000Z\r\n' +
      'DTEND:20200907T120000Z\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
    '/page?of=zoe%40elsewhere.example':
      'BEGIN:VCALENDAR\r\nBEGIN:VFREEBUSY\r\nFREEBUSY:20200907T130000Z/PT1H\r\nEND:VFREEBUSY\r\nEND:VCALENDAR\r\n',
  };

  beforeAll(async () => {
    elsewhere = createServer(({ url: path }, response) => {
      const text = files[path!];
      response.writeHead(text ? 200 : 404).end(text);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  });
  afterAll(() => elsewhere?.close());

  it('shows their times beside the own ones, and a warning where one is down and nothing else is known', async () => {
    const [ann, bob, eve] = await Promise.all([someone(), someone(), someone()]);
    for (const player of [ann, bob]) await created(player, { start_date: NINE, end_date: NINE + HOUR });
    const feeds = 'com.example.calendar.freeBusyFeeds';
    await property(ann, feeds, `${url}/feed.ics`);
    await property(bob, feeds, `${url}/feed.ics ${url}/gone.ics`);
    await property(eve, feeds, `${url}/gone.ics`);
    const servers = `elsewhere.example=${url}/page?of={address} down.example=${url}/down`;
    const key = `/admin/v1/contexts/${cast.contextId}/config/com.example.calendar.freeBusyServers`;
    await cast.admin.expect('PUT', key, { value: servers });
    const own = [busy(NINE, NINE + HOUR), busy(NINE + 2 * HOUR, NINE + 3 * HOUR)];
    const expected = [
      { freeBusyTime: own },
      { freeBusyTime: own },
      { freeBusyTime: [], warnings: [{ code: 'CAL-5033' }] },
      { attendee: { uri: 'mailto:zoe@elsewhere.example' }, freeBusyTime: [busy(NINE + 4 * HOUR, NINE + 5 * HOUR)] },
      { warnings: [{ code: 'CAL-5033' }] },
      { warnings: [{ code: 'CAL-5033' }] },
    ];
    const strangers = ['zoe@elsewhere.example', 'x@down.example', 'x@unknown.example'];
    const range = `from=${MONDAY}&until=${MONDAY + DAY}`;
    const users = [ann, bob, eve].map(({ userId }) => userId);
    const { body } = await ask(`?attendees=${[...users, ...strangers].join(',')}&${range}`);
    expect(body).toMatchObject(expected);
    expect((body as object[]).slice(0, 2).map((each) => 'warnings' in each)).toEqual([false, false]);
    expect((body as object[]).slice(4).map((each) => 'freeBusyTime' in each)).toEqual([false, false]);
    expect(JSON.stringify(body)).not.toMatch(/Dentist|127\.0\.0\.1/);
    const attendees = [
      ...users.map((entity) => ({ entity })),
      ...strangers.map((email) => ({ uri: `mailto:${email}` })),
    ];
    const chronos = await cast.U1.put(
      'chronos',
      'freeBusy',
      { from: '20200907T000000Z', until: '20200908T000000Z', merge: true },
      { attendees },
    );
    expect(chronos.data).toMatchObject(expected);
    const older = ({ userId }: TestUser) =>
      cast.U1.get('freebusy', 'get', { participant: String(userId), from: MONDAY, until: MONDAY + DAY });
    expect(await older(bob)).toMatchObject({ data: [{}, {}] });
    expect((await older(bob)).warnings).toBeUndefined();
    expect(await older(eve)).toMatchObject({ data: [], warnings: { code: 'CAL-5033' } });
  });
});

describe('free/busy: the page for the internet', () => {
  let open: TestEnvironment;
  let guests: Fixtures;
  const page = (parameters: Readonly<Record<string, string | number | boolean | undefined>>) =>
    fetch(`${open.publicUrl}/servlet/webdav.freebusy?${new URLSearchParams(parameters as Record<string, string>)}`);
  const named = ({ email, contextId }: TestUser) => {
    const [userName, server] = email.split('@') as [string, string];
    return { contextId, userName, server };
  };

  beforeAll(async () => {
    open = await startTestEnvironment({
      properties: {
        'com.example.calendar.enableInternetFreeBusy': 'true',
        'com.example.calendar.publishInternetFreeBusy': 'true',
      },
    });
    guests = await createFixtures(open);
  }, 120_000);
  afterAll(() => open?.close());

  const busyOf = async (response: Response) => {
    const calendar = new ICAL.Component(ICAL.parse(await response.text()) as unknown[]);
    return calendar.getFirstSubcomponent('vfreebusy')!;
  };

  it('FB-10, FB-12: one VFREEBUSY, from a week ago to four weeks ahead; types only when wanted', async () => {
    const now = Date.now();
    const soon = now - (now % HOUR) + DAY;
    await created(guests.U1, { start_date: soon, end_date: soon + HOUR });
    await created(guests.U1, { start_date: soon + HOUR, end_date: soon + 2 * HOUR, shown_as: 4 });
    const response = await page(named(guests.U1));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/calendar/);
    expect(response.headers.get('content-disposition')).toContain('freebusy.vfb');
    const busyTimes = await busyOf(response);
    const bound = (name: string) => Date.parse(String(busyTimes.getFirstPropertyValue(name)));
    expect(Math.abs(bound('dtstart') - (now - 7 * DAY))).toBeLessThan(60_000);
    expect(Math.abs(bound('dtend') - (now + 28 * DAY))).toBeLessThan(60_000);
    const types = busyTimes.getAllProperties('freebusy').map((each) => each.getFirstParameter('fbtype'));
    expect(types).toEqual(['BUSY', 'FREE']);
    const simple = await (await page({ ...named(guests.U1), simple: true })).text();
    expect(simple.match(/^FREEBUSY/gm)).toHaveLength(1);
    expect(simple).not.toContain('FBTYPE');
  });

  it('is loaded over HTTP and understood by the CalDAV client of Python and both libraries that it reads with', async () => {
    const { CALDAV_PYTHON, CALDAV_PYTHONPATH, CALDAV_LIBRARIES, CALDAV_MISSING } = process.env;
    if (!CALDAV_PYTHON) throw new Error(`there is no CalDAV client: ${CALDAV_MISSING ?? 'CALDAV_PYTHON is not set'}`);
    const day = Date.now() - (Date.now() % DAY) + 3 * DAY;
    const kinds = ['BUSY', 'BUSY-TENTATIVE', 'BUSY-UNAVAILABLE', 'FREE'];
    const player = await createTestUser(open, guests.admin, guests.contextId, 'reader', 'Europe/Berlin');
    for (const [index] of kinds.entries()) {
      const start_date = day + index * 4 * HOUR;
      await created(player, { start_date, end_date: start_date + HOUR, shown_as: index + 1 }, { timezone: 'UTC' });
    }
    const script = join(__dirname, 'caldav-client.py');
    const load = async (parameters: object) => {
      const url = `${open.publicUrl}/servlet/webdav.freebusy?${new URLSearchParams(parameters as Record<string, string>)}`;
      const { stdout } = await promisify(execFile)(CALDAV_PYTHON, [script, url, player.loginName, PASSWORD], {
        env: { ...process.env, PYTHONPATH: CALDAV_PYTHONPATH, LD_LIBRARY_PATH: CALDAV_LIBRARIES },
      });
      return JSON.parse(stdout);
    };
    const text = (ms: number) => new Date(ms).toISOString().replace('.000', '');
    const times = kinds.map((kind, index) => {
      const start = day + index * 4 * HOUR;
      return [text(start), text(start + HOUR), kind] as const;
    });
    const { start, end, ...rest } = await load(named(player));
    expect(rest).toEqual({
      method: 'PUBLISH',
      attendee: `mailto:${player.email}`,
      vobject: times,
      icalendar: times,
    });
    expect(Date.parse(end) - Date.parse(start)).toBe(35 * DAY);
    const simple = times.slice(0, 3).map(([from, until]) => [from, until, null]);
    expect(await load({ ...named(player), simple: true })).toMatchObject({ vobject: simple, icalendar: simple });
  }, 60_000);

  describe('visibility is one rule behind every door', () => {
    const day = Math.floor(Date.now() / DAY) * DAY + 2 * DAY;
    /** One event an hour; what others may learn of it. */
    const KINDS: readonly (readonly [name: string, lines: readonly string[], isBusy: boolean])[] = [
      ['reserved', ['TRANSP:OPAQUE'], true],
      ['tentative', ['X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE'], true],
      ['absent', ['X-MICROSOFT-CDO-BUSYSTATUS:OOF'], true],
      ['free', ['TRANSP:TRANSPARENT'], false],
      ['confidential', ['CLASS:CONFIDENTIAL'], true],
      ['private', ['CLASS:PRIVATE'], false],
      ['declined', [], false],
      ['series', ['RRULE:FREQ=DAILY;COUNT=5'], true],
      ['private series', ['RRULE:FREQ=DAILY;COUNT=5', 'CLASS:PRIVATE'], false],
      ['free series', ['RRULE:FREQ=DAILY;COUNT=5', 'TRANSP:TRANSPARENT'], false],
      ['deleted', ['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE:@'], false],
      // The next day's occurrence, moved to this one; the day itself is left out.
      ['moved', ['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE:@'], true],
    ];
    const stamp = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
    const BUSY = KINDS.flatMap(([, , isBusy], hour) => (isBusy ? [2 * hour] : []));
    const VIEWER = 257;
    const OWNER = 403_710_016;

    async function createTarget(visibility: string, isShared: boolean, reader: TestUser): Promise<TestUser> {
      const target = await createTestUser(open, guests.admin, guests.contextId, `seen${++people}`);
      const events = KINDS.flatMap(([name, lines], hour) => {
        const at = day + 2 * hour * HOUR;
        const event = (start: number, more: readonly string[]) => [
          'BEGIN:VEVENT',
          `UID:${target.userId}-${name}`,
          'DTSTAMP:20200101T000000Z',
          `SUMMARY:${name}`,
          `DTSTART:${stamp(start)}`,
          `DTEND:${stamp(start + HOUR)}`,
          ...more.map((line) => line.replace('@', stamp(at))),
          'END:VEVENT',
        ];
        const isSeries = lines.some((line) => line.startsWith('RRULE'));
        return [
          // Series begin the day before.
          ...event(isSeries ? at - DAY : at, lines),
          ...(name === 'moved' ? event(at, [`RECURRENCE-ID:${stamp(at + DAY)}`]) : []),
        ];
      });
      const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//T//EN', ...events, 'END:VCALENDAR', ''].join('\r\n');
      const form = new FormData();
      form.append('file', new Blob([text], { type: 'text/calendar' }), 'calendar.ics');
      const { session, folder, userId } = target;
      const parameters = { action: 'ICAL', session, folder, plainJson: true };
      const imported = (await (await target.fetch('POST', '/import', parameters, { body: form })).json()) as any;
      expect(imported).not.toHaveProperty('error');
      const range = { start: day, end: day + DAY, columns: '1,200', folder };
      const rows = (await target.get('calendar', 'all', range)).data as [number, string][];
      const names = KINDS.map(([name]) => name).filter((name) => name !== 'deleted');
      expect(rows.map(([, title]) => title).sort()).toEqual(names.sort());
      const id = rows.find(([, title]) => title === 'declined')![0];
      const answer = { id, folder, timestamp: day * 10 };
      expect(await target.put('calendar', 'confirm', answer, { confirmation: 2 })).not.toHaveProperty('error');
      const permission = (entity: number, bits: number) => ({ entity, bits, group: false });
      if (isShared)
        expect(
          await target.put(
            'folders',
            'update',
            { id: folder, timestamp: day * 10 },
            {
              permissions: [permission(userId, OWNER), permission(reader.userId, VIEWER)],
            },
          ),
        ).not.toHaveProperty('error');
      const at = `/admin/v1/contexts/${guests.contextId}/users/${userId}/config/com.example.calendar.freeBusyVisibility`;
      await guests.admin.expect('PUT', at, { value: visibility });
      return target;
    }

    /** An appointment of a user, a resource or a guest within what every door is asked for. */
    const at = (hour: number) => ({ start_date: day + hour * HOUR, end_date: day + (hour + 1) * HOUR });
    const targetOf = ({ contextId, userId, email }: TestUser): Target => ({ contextId, type: 1, id: userId, email });
    const newAsker = (): Promise<TestUser> => createTestUser(open, guests.admin, guests.contextId, `asks${++people}`);
    const questionOf = (target: Target, asker: Question['asker']): Question => ({
      ...{ target, asker, day, publicUrl: open.publicUrl },
      services: new AdminClient(open.internalUrl, open.service.login, open.service.password),
    });
    async function answersOf(doors: Readonly<Record<string, Door>>, question: Question) {
      const answers: Record<string, number[] | string> = {};
      // One after the other: some book, and would meet each other.
      for (const [name, door] of Object.entries(doors)) answers[name] = await door(question);
      return answers;
    }
    const everywhere = (doors: object, answer: number[] | string, except: Record<string, number[] | string> = {}) => ({
      ...Object.fromEntries(Object.keys(doors).map((door) => [door, answer])),
      ...except,
    });
    /** A hidden page is none. */
    const outside = (hours: number[]) =>
      everywhere(OUTSIDERS, hours, hours.length === 0 ? { 'the page for the internet': 'FBY-0007' } : {});
    const conflicts = (answer: number[] | string) =>
      Object.fromEntries(
        Object.keys(COLLEAGUES).flatMap((door) => (door.startsWith('conflicts') ? [[door, answer] as const] : [])),
      );
    /** Conflicts of those who cannot be invited: none. */
    const unknown = { ...conflicts('APP-0103'), 'conflicts of a new event': 'CAL-4034' };
    const setVisibility = (owner: string, value: string) =>
      guests.admin.expect(
        'PUT',
        `/admin/v1/contexts/${guests.contextId}/${owner}config/com.example.calendar.freeBusyVisibility`,
        { value },
      );

    const cases = ['all', 'internal-only', 'none'].flatMap((visibility) =>
      [false, true].map((isShared) => [visibility, isShared ? 'shared' : 'not shared'] as const),
    );
    it.each(cases)('%s, calendar %s', async (visibility, sharing) => {
      const asker = await newAsker();
      const target = await createTarget(visibility, sharing === 'shared', asker);
      const question = questionOf(targetOf(target), asker);
      expect(await answersOf(OWN, question)).toEqual(everywhere(OWN, []));
      expect(await answersOf(OUTSIDERS, question)).toEqual(outside(visibility === 'all' ? BUSY : []));
      expect(await answersOf(COLLEAGUES, { ...question, asker: target })).toEqual(
        // He takes part already.
        everywhere(COLLEAGUES, BUSY, { 'conflicts of a new participant': [] }),
      );
      expect(await answersOf(COLLEAGUES, question)).toEqual(everywhere(COLLEAGUES, visibility === 'none' ? [] : BUSY));
    });

    it('what is set for the context counts until a user says otherwise', async () => {
      const asker = await newAsker();
      const [silent, open] = [await createTarget('none', false, asker), await createTarget('all', false, asker)];
      const path = `/admin/v1/contexts/${guests.contextId}/users/${silent.userId}/config`;
      await guests.admin.expect('DELETE', `${path}/com.example.calendar.freeBusyVisibility`);
      await setVisibility('', 'none');
      try {
        for (const [target, hours] of [[silent, []] as const, [open, BUSY] as const]) {
          const question = questionOf(targetOf(target), asker);
          expect(await answersOf(OUTSIDERS, question)).toEqual(outside([...hours]));
          expect(await answersOf(COLLEAGUES, question)).toEqual(everywhere(COLLEAGUES, [...hours]));
        }
      } finally {
        await setVisibility('', 'all');
      }
    });

    it('a group has the times of those of its members who show them, for events and who books it; nothing of its own elsewhere', async () => {
      const asker = await newAsker();
      const [shown, hidden] = [
        await createTarget('internal-only', false, asker),
        await createTarget('none', false, asker),
      ];
      const groupOf = async (members: readonly TestUser[]): Promise<Target> => {
        const name = `crowd${++people}`;
        const path = `/admin/v1/contexts/${guests.contextId}/groups`;
        const { id } = await guests.admin.expect('POST', path, {
          ...{ name, displayName: name, members: members.map(({ userId }) => userId) },
        });
        return { contextId: guests.contextId, type: 2, id, email: `${name}@c${guests.contextId}.example` };
      };
      for (const [members, hours] of [
        [[hidden], []],
        [[shown, hidden], BUSY],
      ] as const) {
        const question = questionOf(await groupOf(members), asker);
        expect(await answersOf(OUTSIDERS, question)).toEqual({
          ...outside([]),
          'REST user': 'FBY-0008',
        });
        expect(await answersOf(COLLEAGUES, question)).toEqual(
          everywhere(COLLEAGUES, [], {
            ...conflicts([...hours]),
            'chronos freeBusy': [...hours],
            'calendar freebusy': 'APP-0019',
            'calendar freebusy in a batch': 'APP-0019',
          }),
        );
      }
    });

    it('a resource shows its bookings, whoever made them and however hidden he is', async () => {
      const asker = await newAsker();
      const booker = await createTarget('none', false, asker);
      const name = `beamer${++people}`;
      const email = `${name}@c${guests.contextId}.example`;
      const { id } = await guests.admin.expect('POST', `/admin/v1/contexts/${guests.contextId}/resources`, {
        ...{ name, displayName: name, email },
      });
      await created(booker, { ...at(3), participants: [{ type: 3, id }] });
      const question = questionOf({ contextId: guests.contextId, type: 3, id, email }, asker);
      expect(await answersOf(OUTSIDERS, question)).toEqual({ ...outside([3]), 'REST user': 'FBY-0008' });
      expect(await answersOf(COLLEAGUES, question)).toEqual(everywhere(COLLEAGUES, [3]));
      // Its id is no user, and that of a user no resource.
      for (const wrong of [
        { ...question.target, type: 1 as const },
        { ...targetOf(booker), type: 3 as const },
      ])
        expect(await COLLEAGUES['calendar freebusy']!({ ...question, target: wrong })).toEqual([]);
    });

    it('a calendar that is transparent for scheduling keeps its user free, and resources busy', async () => {
      const asker = await newAsker();
      const target = await createTarget('all', false, asker);
      const question = questionOf(targetOf(target), asker);
      const name = `screen${++people}`;
      const email = `${name}@c${guests.contextId}.example`;
      const { id } = await guests.admin.expect('POST', `/admin/v1/contexts/${guests.contextId}/resources`, {
        ...{ name, displayName: name, email },
      });
      await created(target, { ...at(22), participants: [{ type: 3, id }] });
      const setTransparency = async (scheduleTransp: unknown) =>
        expect(
          await target.put(
            'folders',
            'update',
            { id: target.folder, timestamp: day * 10 },
            { 'com.openexchange.calendar.extendedProperties': { scheduleTransp } },
          ),
        ).not.toHaveProperty('error');
      await setTransparency({ value: 'TRANSPARENT' });
      expect(await answersOf(OUTSIDERS, question)).toEqual(everywhere(OUTSIDERS, []));
      expect(await answersOf(COLLEAGUES, question)).toEqual(everywhere(COLLEAGUES, []));
      const ofResource = questionOf({ contextId: guests.contextId, type: 3, id, email }, asker);
      expect(await answersOf(COLLEAGUES, ofResource)).toEqual(everywhere(COLLEAGUES, [22]));
      // An invitation lies in the calendars of both.
      await created(asker, { ...at(21), participants: [{ type: 1, id: target.userId }] });
      const other = questionOf(targetOf(asker), target);
      expect(await COLLEAGUES['chronos freeBusy']!(other)).toEqual([21]);
      expect(await COLLEAGUES['chronos freeBusy']!(question)).toEqual([]);
      await setTransparency(null);
      expect(await COLLEAGUES['chronos freeBusy']!(question)).toEqual(
        [...BUSY, 21].sort((left, right) => left - right),
      );
    });

    it('of a user who was deleted nothing is told', async () => {
      const asker = await newAsker();
      const target = await createTarget('none', true, asker);
      const meeting = await created(asker, { ...at(20), participants: [{ type: 1, id: target.userId }] });
      await guests.admin.expect('DELETE', `/admin/v1/contexts/${guests.contextId}/users/${target.userId}`);
      const question = questionOf(targetOf(target), asker);
      expect(await answersOf(OUTSIDERS, question)).toEqual({ ...outside([]), 'REST user': 'FBY-0008' });
      expect(await answersOf(COLLEAGUES, question)).toEqual(everywhere(COLLEAGUES, [], unknown));
      await asker.put('calendar', 'delete', { timestamp: day * 10 }, { id: meeting, folder: asker.folder });
    });

    it('of a user who must not log in the same is told as before', async () => {
      const asker = await newAsker();
      for (const [visibility, hours] of [
        ['internal-only', BUSY],
        ['none', []],
      ] as const) {
        const target = await createTarget(visibility, false, asker);
        const user = `/admin/v1/contexts/${guests.contextId}/users/${target.userId}`;
        await guests.admin.expect('PATCH', user, { enabled: false });
        const question = questionOf(targetOf(target), asker);
        expect(await answersOf(OUTSIDERS, question)).toEqual(outside([]));
        expect(await answersOf(COLLEAGUES, question)).toEqual(everywhere(COLLEAGUES, [...hours]));
      }
    });

    it('users of other contexts neither ask nor are asked', async () => {
      const target = await createTarget('all', false, guests.U1);
      // The stranger has an id of the own context too, the target none in the context of the stranger.
      const question = questionOf(targetOf(target), guests.X1);
      expect(await answersOf(COLLEAGUES, question)).toEqual(everywhere(COLLEAGUES, [], unknown));
      const elsewhere = questionOf({ ...targetOf(target), contextId: guests.otherContextId }, guests.X1);
      expect(await answersOf(OUTSIDERS, elsewhere)).toEqual({ ...outside([]), 'REST user': 'FBY-0008' });
    });

    it('guests neither ask nor are asked', async () => {
      const host = await createTarget('all', false, guests.U1);
      const folder = await calendarOf(host);
      const email = `visitor${++people}@outside.example`;
      expect((await invite(host, folder, email)).error).toBeUndefined();
      const share = await shareOf(host, folder, email);
      const named = new Visitor(open.publicUrl, 'Named');
      await named.enter('guest', { share: share.token });
      const anonymous = await new Visitor(open.publicUrl, 'Anonymous').open((await linkOf(host, folder)).url);
      for (const visitor of [named, anonymous]) {
        expect(await visitor.titles(folder)).toEqual([]);
        const question = questionOf(targetOf(host), Object.assign(visitor, { folder }));
        expect(await answersOf({ ...COLLEAGUES, ...OWN }, question)).toEqual(
          everywhere({ ...COLLEAGUES, ...OWN }, 'SVL-0016'),
        );
      }
      const target: Target = { contextId: guests.contextId, type: 1, id: share.entity, email };
      const question = questionOf(target, guests.U1);
      expect(await answersOf(OUTSIDERS, question)).toEqual({ ...outside([]), 'REST user': 'FBY-0008' });
      expect(await answersOf(COLLEAGUES, question)).toEqual(everywhere(COLLEAGUES, [], unknown));
    });

    it('sessions of application passwords for something else do not ask', async () => {
      const target = await createTarget('all', false, guests.U1);
      const owner = await newAsker();
      const { data } = await owner.call('POST', 'appPasswords', 'add', { appScope: 'mail', appName: 'mail' });
      const client = new Client(open.publicUrl);
      await client.login(data.login, data.password, { client: 'app' });
      const question = questionOf(targetOf(target), Object.assign(client, { folder: owner.folder }));
      expect(await answersOf({ ...COLLEAGUES, ...OWN }, question)).toEqual(
        everywhere({ ...COLLEAGUES, ...OWN }, 'ASP-0001'),
      );
    });
  });

  it('FB-11: longer ranges are reduced to the maximum', async () => {
    const busyTimes = await busyOf(await page({ ...named(guests.U1), weeksIntoFuture: 5000, weeksIntoPast: 5000 }));
    const bound = (name: string) => Date.parse(String(busyTimes.getFirstPropertyValue(name)));
    expect(Math.round((bound('dtend') - bound('dtstart')) / DAY)).toBe((12 + 26) * 7);
  });

  it('FB-13: nothing is published of those who do not want it, of strangers, or while it is off', async () => {
    const config = `/admin/v1/contexts/${guests.contextId}/users/${guests.U2.userId}/config`;
    await guests.admin.expect('PUT', `${config}/com.example.calendar.publishInternetFreeBusy`, { value: false });
    const hidden = `/admin/v1/contexts/${guests.contextId}/users/${guests.U3.userId}/config`;
    await guests.admin.expect('PUT', `${hidden}/com.example.calendar.freeBusyVisibility`, { value: 'internal-only' });
    const strangers = { contextId: 999_999_999, userName: 'a', server: 'b.example' };
    const unknown = { ...named(guests.U1), userName: 'nobody' };
    for (const parameters of [
      named(guests.U2),
      named(guests.U3),
      strangers,
      unknown,
      { ...named(guests.U1), contextId: 0 },
    ]) {
      const response = await page(parameters);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, 'FBY-0007']);
    }
    const off = await fetch(`${world.publicUrl}/servlet/webdav.freebusy?contextId=1&userName=a&server=b`);
    expect(off.status).toBe(404);
    for (const wrong of [{ weeksIntoPast: -1 }, { weeksIntoFuture: 'x' }, { contextId: 'x' }] as object[])
      expect((await page({ ...named(guests.U1), ...wrong })).status).toBe(400);
    expect((await page({ contextId: 1 })).status).toBe(400);
  });

  it('is asked a bounded number of times a minute', async () => {
    // Of more than may be asked in a minute, also one that a busy machine takes two minutes for.
    const answers = await Promise.all(Array.from({ length: 150 }, () => page(named(guests.U1))));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
