import { unzipped } from '../attachments/zip';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, attendeeOf, create, created, dataOf, folderOf, FORCE, get, JUNE_5, type Json } from './events';
import { refusal, remove, update } from './events';
import { upload } from './uploads';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `filer${(count += 1)}`);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const twoFiles = {
  ...{ summary: 'Files', ...JUNE_5 },
  attachments: [
    { uri: 'cid:file_0', filename: 'a.txt' },
    { uri: 'cid:file_1', fmtType: 'text/csv' },
  ],
};
const download = async (player: TestUser, query: Json): Promise<{ body: Buffer; type: string | null }> => {
  const parameters = { action: 'getAttachment', session: player.session, folder: folderOf(player), ...query };
  const response = await player.fetch('GET', '/chronos', parameters);
  return { body: Buffer.from(await response.arrayBuffer()), type: response.headers.get('content-type') };
};
const codeOf = ({ body }: { body: Buffer }): string | undefined => /"code":"([A-Z]+-\d+)"/.exec(body.toString())?.[1];

describe('chronos: files of events', () => {
  it('CF-01, CF-04: files come with a new event, one by one and as ZIP', async () => {
    const player = await someone();
    const reply = await upload(player, 'new', twoFiles, { file_0: 'first', file_1: 'second' });
    const [event] = dataOf(reply).created;
    expect(event.attachments).toEqual([
      { managedId: expect.any(Number), filename: 'a.txt', fmtType: 'text/plain', size: 5, created: expect.any(Number) },
      { managedId: expect.any(Number), filename: 'a.txt', fmtType: 'text/csv', size: 6, created: expect.any(Number) },
    ]);
    expect(event.flags).toContain('attachments');
    expect(await get(player, event.id)).toEqual(event);
    const [first, second] = event.attachments.map(({ managedId }: Json) => managedId);
    expect(await download(player, { id: event.id, managedId: second })).toEqual({
      body: Buffer.from('second'),
      type: 'text/csv',
    });
    const zip = await player.fetch(
      'PUT',
      '/chronos',
      { action: 'zipAttachments', session: player.session, folder: folderOf(player), id: event.id },
      { body: JSON.stringify([String(first), String(second)]), headers: { 'content-type': 'application/json' } },
    );
    expect(unzipped(Buffer.from(await zip.arrayBuffer()))).toEqual({ 'a.txt': 'first', 'a (1).txt': 'second' });
    const legacy = await player.get('attachment', 'all', {
      attached: event.id,
      folder: player.folder,
      module: 1,
      columns: '1,803',
    });
    expect(legacy.data).toEqual([
      [first, 'a.txt'],
      [second, 'a.txt'],
    ]);
  });

  it('CF-02: a change keeps what it names; links are links', async () => {
    const player = await someone();
    const [event] = dataOf(await upload(player, 'new', twoFiles, { file_0: 'first', file_1: 'second' })).created;
    const [first] = event.attachments;
    const link = { uri: 'https://example.org/x' };
    const [kept] = dataOf(await update(player, event.id, { attachments: [first, link] })).updated;
    expect(kept).toMatchObject({ attachments: [first, link], sequence: 0 });
    const body = { event: { attachments: [first, { uri: 'cid:file_0' }] } };
    const query = { id: event.id, timestamp: FORCE };
    const [more] = dataOf(await upload(player, 'update', body, { file_0: 'third' }, query)).updated;
    expect(more.attachments).toMatchObject([first, { size: 5 }]);
    expect((await upload(player, 'update', body, {}, query)).code).toBe('CAL-4006');
    expect((await upload(player, 'update', body, { file_0: 'x' }, { ...query, timestamp: 1 })).code).toBe('CAL-4120');
    expect((await upload(player, 'update', undefined, { file_0: 'x' }, query)).code).toBe('SVL-0002');
  });

  it('a change that names a file that the event does not have is refused, and no file is lost', async () => {
    const player = await someone();
    const [event] = dataOf(await upload(player, 'new', twoFiles, { file_0: 'first', file_1: 'second' })).created;
    const [other] = dataOf(await upload(player, 'new', twoFiles, { file_0: 'third', file_1: 'fourth' })).created;
    const [first] = event.attachments;
    for (const managedId of [987_654_321, other.attachments[0].managedId]) {
      const attachments = [first, { managedId }];
      expect(await update(player, event.id, { summary: 'X', attachments })).toMatchObject({ code: 'CAL-4047' });
      const body = { event: { attachments: [...attachments, { uri: 'cid:file_0' }] } };
      const query = { id: event.id, timestamp: FORCE };
      expect((await upload(player, 'update', body, { file_0: 'fifth' }, query)).code).toBe('CAL-4047');
    }
    expect(await get(player, event.id)).toEqual(event);
  });

  it('CF-02: a new event gets copies of the files that it names, of one event that the user reads', async () => {
    const [ann, bob, carl] = [await someone(), await someone(), await someone()];
    const fields = { ...twoFiles, attendees: [{ entity: bob.userId }] };
    const [source] = dataOf(await upload(ann, 'new', fields, { file_0: 'first', file_1: 'second' })).created;
    const [first, second] = source.attachments;
    const link = { uri: 'https://example.org/x' };
    const copy = await created(bob, { attachments: [second, link] });
    expect(copy.attachments).toMatchObject([{ filename: 'a.txt', fmtType: 'text/csv', size: 6 }, link]);
    expect(copy.flags).toContain('attachments');
    expect(await get(bob, copy.id)).toEqual(copy);
    const [{ managedId }] = copy.attachments;
    expect(managedId).not.toBe(second.managedId);
    const both = { summary: 'Both', ...JUNE_5, attachments: [first, { uri: 'cid:file_0' }] };
    const [more] = dataOf(await upload(bob, 'new', both, { file_0: 'third' })).created;
    expect(more.attachments.map(({ size }: Json) => size)).toEqual([5, 5]);
    expect((await get(ann, source.id)).attachments).toEqual([first, second]);
    for (const attachments of [[{ managedId: 987_654_321 }], [first, copy.attachments[0]]])
      expect((await create(bob, { attachments })).code).toBe('CAL-4047');
    expect((await create(carl, { attachments: [first] })).code).toBe('CAL-4047');
    expect(await all(carl)).toEqual([]);
    await remove(ann, [{ id: source.id }]);
    expect((await download(bob, { id: copy.id, managedId })).body.toString()).toBe('second');
  });

  it('CU-08: a mere attendee changes no files, and nothing is stored with them', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const fields = { ...twoFiles, attendees: [{ entity: bob.userId }] };
    const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT10M' } }];
    for (const more of [{}, { rrule: 'FREQ=DAILY;COUNT=3' }]) {
      const reply = await upload(ann, 'new', { ...fields, ...more }, { file_0: 'first', file_1: 'second' });
      const [{ id }] = dataOf(reply).created;
      const seen = await get(bob, id);
      const [first, second] = seen.attachments;
      for (const attachments of [[], [second]])
        expect((await update(bob, id, { alarms, attachments })).code).toBe('CAL-4038');
      const declined = { deleteExceptionDates: ['20310606T080000Z'], attachments: [] };
      if (seen.rrule) expect((await update(bob, id, declined)).code).toBe('CAL-4038');
      const body = { event: { alarms, attachments: [first, second, { uri: 'cid:file_0' }] } };
      const added = await upload(bob, 'update', body, { file_0: 'third' }, { id, timestamp: FORCE });
      expect(added.code).toBe('CAL-4038');
      expect(await get(bob, id)).toEqual(seen);
      dataOf(await update(bob, id, { alarms, attachments: [first, second] }));
      expect(await get(bob, id)).toMatchObject({ alarms, attachments: [first, second] });
    }
  });

  it('CU-09: an attendee who acts for the organizer changes files, too', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const fields = { ...twoFiles, attendees: [{ entity: bob.userId }], attendeePrivileges: 'MODIFY' };
    const [{ id }] = dataOf(await upload(ann, 'new', fields, { file_0: 'first', file_1: 'second' })).created;
    const [, second] = (await get(bob, id)).attachments;
    const event = { location: 'There', attachments: [second, { uri: 'cid:file_0' }] };
    const reply = await upload(bob, 'update', { event }, { file_0: 'a third' }, { id, timestamp: FORCE });
    const [changed] = dataOf(reply).updated;
    expect(changed).toMatchObject({ location: 'There', attachments: [second, { filename: 'a.txt', size: 7 }] });
    const { attachments } = changed;
    expect(await get(ann, id)).toMatchObject({ attachments, modifiedBy: { entity: bob.userId } });
    const target = { attached: Number(id), folder: Number(bob.folder), module: 1 };
    expect((await bob.put('attachment', 'detach', target, [second.managedId])).code).toBeUndefined();
    expect((await get(ann, id)).attachments).toEqual(attachments.slice(1));
    await update(ann, id, { attendeePrivileges: 'DEFAULT' });
    const [kept] = attachments.slice(1);
    expect((await bob.put('attachment', 'detach', target, [kept.managedId])).code).toBe('APP-0036');
  });

  it('CS-12: both parts of a split series have its files, and what changes in one stays in the other', async () => {
    const player = await someone();
    const series = { ...twoFiles, rrule: 'FREQ=DAILY;COUNT=6' };
    const [event] = dataOf(await upload(player, 'new', series, { file_0: 'first', file_1: 'second' })).created;
    const split = { recurrenceId: '20310607T080000Z', recurrenceRange: 'THISANDFUTURE' };
    const [first] = event.attachments;
    const { created: parts, updated } = dataOf(await update(player, event.id, { attachments: [first] }, split));
    expect(parts).toHaveLength(1);
    expect(parts[0]).toMatchObject({
      attachments: [
        { filename: 'a.txt', size: 5 },
        { fmtType: 'text/csv', size: 6 },
      ],
    });
    expect(parts[0].flags).toContain('attachments');
    expect(updated[0]).toMatchObject({ id: event.id, attachments: [first], sequence: 1 });
    const [, second] = (await get(player, parts[0].id)).attachments;
    dataOf(await remove(player, [{ id: event.id }]));
    expect(await download(player, { id: parts[0].id, managedId: second.managedId })).toEqual({
      body: Buffer.from('second'),
      type: 'text/csv',
    });
  });

  it('CF-03: a part that is not there; nothing is stored', async () => {
    const player = await someone();
    expect((await upload(player, 'new', twoFiles, { file_0: 'first' })).code).toBe('CAL-4006');
    expect((await upload(player, 'new', undefined, { file_0: 'first' })).code).toBe('SVL-0002');
    expect((await upload(player, 'new', '{', { file_0: 'first' })).code).toBe('SVL-0029');
    expect((await upload(player, 'new', '{"sequence":"x"}', { file_0: 'first' })).code).toBe('SVL-0031');
    expect((await upload(player, 'new', '[]', { file_0: 'first' })).code).toBe('SVL-0028');
    expect((await create(player, { attachments: twoFiles.attachments })).code).toBe('CAL-4006');
    const badName = { ...twoFiles, attachments: [{ uri: 'cid:file_0', filename: 'n\n' }] };
    expect((await upload(player, 'new', badName, { file_0: 'first' })).code).toBe('ATT-0418');
    expect(await all(player)).toEqual([]);
  });

  it('CF-05: no bytes for those who may not read the event', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const [event] = dataOf(await upload(ann, 'new', twoFiles, { file_0: 'first', file_1: 'second' })).created;
    const { managedId } = event.attachments[0];
    expect(codeOf(await download(bob, { id: event.id, managedId, folder: folderOf(ann) }))).toBe('FLD-0003');
    expect(codeOf(await download(bob, { id: event.id, managedId }))).toBe('CAL-4041');
    expect(codeOf(await download(bob, { id: '999999999', managedId }))).toBe('CAL-4040');
    expect(codeOf(await download(ann, { id: event.id, managedId: 999_999 }))).toBe('CAL-4047');
    expect(codeOf(await download(ann, { id: event.id, managedId, folder: 'cal://0/999989' }))).toBe('FLD-0008');
    const zip = (body: unknown, query: Json = {}) =>
      ann.put('chronos', 'zipAttachments', { folder: folderOf(ann), id: event.id, ...query }, body);
    expect((await zip([])).code).toBe('SVL-0002');
    expect((await zip(['x'])).code).toBe('SVL-0031');
    expect((await zip(['999999'])).code).toBe('CAL-4047');
    expect((await zip(['1'], { id: '999999999' })).code).toBe('CAL-4040');
    expect((await zip(['1'], { folder: 'cal://0/999989' })).code).toBe('FLD-0008');
    const [own] = dataOf(await upload(bob, 'new', twoFiles, { file_0: 'first', file_1: 'second' })).created;
    expect((await zip(['1'], { id: own.id })).code).toBe('CAL-4041');
    await remove(ann, [{ id: event.id }]);
  });
});

describe('chronos: organizers', () => {
  it('CM-06: changes where that is switched on, among internal users only', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const event = await created(ann, { attendees: [{ entity: bob.userId }] });
    const change = (id: string, organizer: Json, query: Json = {}) =>
      ann.put('chronos', 'changeOrganizer', { folder: folderOf(ann), id, timestamp: FORCE, ...query }, { organizer });
    expect((await change(event.id, { entity: bob.userId })).code).toBe('CAL-4035');
    const key = 'com.example.calendar.allowChangeOfOrganizer';
    const path = `/admin/v1/contexts/${cast.contextId}/users/${ann.userId}/config/${key}`;
    await cast.admin.expect('PUT', path, { value: 'true' });
    const { updated } = dataOf(await change(event.id, { uri: `mailto:${bob.email}` }));
    expect(updated).toMatchObject([{ sequence: 1, organizer: { entity: bob.userId } }]);
    expect(updated[0].attendees.map(({ entity }: Json) => entity).sort()).toEqual([ann.userId, bob.userId].sort());
    expect((await update(bob, event.id, { location: 'His' })).code).toBeUndefined();
    const guests = await created(ann, { attendees: [{ entity: bob.userId }, { uri: 'mailto:guest@outside.test' }] });
    expect((await change(guests.id, { entity: bob.userId })).code).toBe('CAL-4035');
    expect((await change(guests.id, { entity: cast.room })).code).toBe('CAL-4034');
    expect((await change(guests.id, { entity: bob.userId }, { timestamp: 1 })).code).toBe('CAL-4120');
    const rrule = 'FREQ=DAILY;COUNT=3';
    const series = await created(ann, { attendees: [{ entity: bob.userId }], rrule });
    const once = { attendees: [...series.attendees, { uri: 'mailto:guest@outside.test' }] };
    dataOf(await update(ann, series.id, once, { recurrenceId: '20310606T080000Z' }));
    expect((await change(series.id, { entity: bob.userId })).code).toBe('CAL-4035');
    const team = await created(ann, { attendees: [{ entity: cast.U1.userId }] });
    expect(dataOf(await change(team.id, { entity: bob.userId })).updated[0].attendees).toHaveLength(3);
  });

  it('who organized an event before is an attendee like any other', async () => {
    const [ann, bob, carl] = [await someone(), await someone(), await someone()];
    const key = 'com.example.calendar.allowChangeOfOrganizer';
    const path = `/admin/v1/contexts/${cast.contextId}/users/${ann.userId}/config/${key}`;
    await cast.admin.expect('PUT', path, { value: 'true' });
    const change = (id: string, query: Json = {}) =>
      ann.put(
        'chronos',
        'changeOrganizer',
        { folder: folderOf(ann), id, timestamp: FORCE, ...query },
        { organizer: { entity: bob.userId } },
      );
    const rrule = 'FREQ=DAILY;COUNT=4';
    const attendees = [{ entity: bob.userId }, { entity: carl.userId }];
    const { id } = await created(ann, { attendees, rrule });
    const { updated } = dataOf(await change(id));
    expect(updated).toMatchObject([{ id, folder: folderOf(ann), organizer: { entity: bob.userId } }]);
    expect(updated[0].flags).not.toContain('organizer');
    expect((await update(ann, id, { summary: 'Hers' })).code).toBe('CAL-4038');
    expect((await change(id)).code).toBe('CAL-4038');
    expect((await update(bob, id, { summary: 'His' })).code).toBeUndefined();
    expect(await get(carl, id)).toMatchObject({ summary: 'His', folder: folderOf(carl) });
    await remove(ann, [{ id }]);
    expect(attendeeOf(await get(bob, id), ann.userId).partStat).toBe('DECLINED');
    await remove(bob, [{ id }]);
    expect(await refusal(carl, id)).toBe('CAL-4040');

    const series = await created(ann, { attendees, rrule });
    const from = { recurrenceId: '20310607T080000Z', recurrenceRange: 'THISANDFUTURE' };
    const split = dataOf(await change(series.id, from));
    expect(split.created).toMatchObject([{ organizer: { entity: ann.userId } }]);
    expect(split.updated).toMatchObject([{ id: series.id, organizer: { entity: bob.userId } }]);
    expect((await update(ann, series.id, { summary: 'Hers' })).code).toBe('CAL-4038');
    expect((await update(ann, split.created[0].id, { summary: 'Hers' })).code).toBeUndefined();
    expect((await change(split.created[0].id, { recurrenceId: '20310605T080000Z' })).code).toBe('CAL-4035');
  });
});
