import { answer, created, at, type Json } from '../chronos/events';
import { attachFiles } from '../attachments/attachments';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { bare, complete, facetsOf, found as listField, option, query, words, type ChosenFacet } from './find-client';

const DAY_MS = 86_400_000;

let world: TestEnvironment;
let cast: Fixtures;
beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const text = (facet: string, ...queries: string[]): ChosenFacet => words(facet, facet, ...queries);
const summaries = (user: TestUser, ...facets: ChosenFacet[]) => listField(query(user, 'calendar', facets), 'summary');

/** A time so many days from now, as iCalendar writes it. */
const inDays = (days: number, hours = 0): string =>
  new Date(Math.floor(Date.now() / 1000) * 1000 + days * DAY_MS + hours * 3_600_000)
    .toISOString()
    .replace(/[-:]|\.000/g, '');

/** An hour so many days from now. */
const addEvent = (user: TestUser, summary: string, days: number, fields: Json = {}): Promise<Json> =>
  created(user, { summary, startDate: at(inDays(days)), endDate: at(inDays(days, 1)), ...fields });

const invited = (...users: TestUser[]): Json => ({
  attendees: users.map((user) => ({ cuType: 'INDIVIDUAL', entity: user.userId })),
});

describe('finding events', () => {
  it('FI-44 looks into the fields of the facet', async () => {
    await addEvent(cast.U1, 'Boat trip', 7, { location: 'Pier 9', description: 'Bring a coat' });
    for (const facets of [
      [text('location', 'pier')],
      [text('global', 'COAT', 'boat')],
      [text('description', 'b*g')],
      [text('subject', 'boat')],
    ])
      expect(await summaries(cast.U1, ...facets)).toEqual(['Boat trip']);
    expect(await summaries(cast.U1, text('location', 'boat'))).toEqual([]);
    expect(await summaries(cast.U3, text('location', 'pier'))).toEqual([]);
  });

  it('looks for names of files', async () => {
    const { id } = await addEvent(cast.U1, 'Signing', 8);
    const target = { attached: Number(id), folder: Number(cast.U1.folder), module: 1 };
    await attachFiles(cast.U1, target, [{ name: 'Contract 7.odt', content: 'x' }]);
    for (const facet of ['attachment', 'global'])
      expect(await summaries(cast.U1, text(facet, 'contract'))).toEqual(['Signing']);
    expect(await summaries(cast.U1, text('subject', 'contract'))).toEqual([]);
    expect(await summaries(cast.U3, text('attachment', 'contract'))).toEqual([]);
  });

  it('FI-45 FI-49 looks for answers of the reader, and for those who take part', async () => {
    const both = invited(cast.U1, cast.U2);
    const declined = await addEvent(cast.U1, 'Answers one', 3, both);
    await addEvent(cast.U1, 'Answers two', 4, {
      attendees: [
        ...both.attendees,
        { cuType: 'INDIVIDUAL', uri: 'mailto:ext@partner.example', email: 'ext@partner.example' },
      ],
    });
    const body = { attendee: { entity: cast.U2.userId, partStat: 'DECLINED' } };
    expect(await answer(cast.U2, declined.id, body)).not.toHaveProperty('error');
    const ask = (user: TestUser, ...facets: ChosenFacet[]) => summaries(user, text('subject', 'answers'), ...facets);
    const status = (value: string) => option('status', 'status', value);
    expect(await ask(cast.U2, status('DECLINED'))).toEqual(['Answers one']);
    expect(await ask(cast.U2, status('none'))).toEqual(['Answers two']);
    expect(await ask(cast.U1, status('ACCEPTED'))).toEqual(['Answers one', 'Answers two']);
    const person = (field: string, value: string | number) => option('participant', field, String(value));
    expect(await ask(cast.U1, person('users', cast.U2.userId))).toEqual(['Answers one', 'Answers two']);
    expect(await ask(cast.U1, person('users', cast.U3.userId))).toEqual([]);
    expect(await ask(cast.U1, person('users', cast.U2.userId), person('participant', 'partner.ex'))).toEqual([
      'Answers two',
    ]);
    expect(await ask(cast.U3, person('users', cast.U2.userId))).toEqual([]);
    const values = (await facetsOf(complete(cast.U1, 'calendar', 'u2'))).get('participant').values;
    expect(values.map(({ filter }: Json) => filter)).toEqual([
      { fields: ['users'], queries: [String(cast.U2.userId)] },
      { fields: ['participant'], queries: ['u2'] },
    ]);
    const left = await facetsOf(complete(cast.U1, 'calendar', 'u2', [status('DECLINED')]));
    expect([...left.keys()]).toEqual([
      ...['global', 'subject', 'location', 'description', 'attachment', 'participant', 'range', 'type', 'folder_type'],
    ]);
  });

  it('FI-46 answers what lies in the range, the nearest first, what is over last', async () => {
    for (const days of [200, 10, -10, -200, 500]) await addEvent(cast.U1, `Ranged ${days}`, days);
    const ask = (...facets: ChosenFacet[]) => summaries(cast.U1, text('subject', 'ranged'), ...facets);
    const range = (value: string) => option('range', 'range', value);
    expect(await ask(range('one_month'))).toEqual(['Ranged 10', 'Ranged -10']);
    expect(await ask(range('one_year'))).toEqual(['Ranged 10', 'Ranged 200', 'Ranged -10', 'Ranged -200']);
    const after = Date.now() + 100 * DAY_MS;
    expect(await ask(range(`[${after} TO *]`))).toEqual(['Ranged 200', 'Ranged 500']);
    expect(await ask(range(`{* TO ${after}}`), range('three_months'))).toEqual(['Ranged 10', 'Ranged -10']);
    const page = { start: 1, size: 2 };
    expect((await query(cast.U1, 'calendar', [text('subject', 'ranged')], { fields: 'summary' }, page)).data).toEqual({
      ...{ num_found: -1, start: 1, size: 2 },
      results: [{ summary: 'Ranged 200' }, { summary: 'Ranged 500' }],
    });
  });

  it('FI-47 FI-48 shows a series once, as its next occurrence, else as its last one', async () => {
    const series = { rrule: 'FREQ=WEEKLY' };
    await addEvent(cast.U1, 'Repeated now', -365, series);
    await addEvent(cast.U1, 'Repeated then', -365, { rrule: 'FREQ=WEEKLY;COUNT=3' });
    await addEvent(cast.U1, 'Repeated never', 1);
    const ask = (...facets: ChosenFacet[]) =>
      query(cast.U1, 'calendar', [text('subject', 'repeated'), ...facets], {
        fields: 'summary,startDate,recurrenceId',
      });
    const type = (value: string) => option('type', 'type', value);
    const { results } = (await ask()).data;
    expect(results.map(({ summary }: Json) => summary)).toEqual(['Repeated never', 'Repeated now', 'Repeated then']);
    const [, now, then] = results;
    const next = -365 + 7 * Math.ceil(365 / 7);
    expect(now.startDate.value.slice(0, 8)).toBe(inDays(next).slice(0, 8));
    expect(now.recurrenceId).toBeDefined();
    expect(then.startDate.value.slice(0, 8)).toBe(inDays(-365 + 14).slice(0, 8));
    expect(await listField(ask(type('series')), 'summary')).toEqual(['Repeated now', 'Repeated then']);
    expect(await listField(ask(type('single')), 'summary')).toEqual(['Repeated never']);
    const past = option('range', 'range', `[* TO ${Date.now() - 300 * DAY_MS}]`);
    expect(await listField(ask(past), 'summary')).toEqual(['Repeated now', 'Repeated then']);
    const gap = option('range', 'range', `[${Date.now() - 300 * DAY_MS} TO ${Date.now() - 298 * DAY_MS}]`);
    expect((await listField(ask(gap, type('series')), 'summary')).length).toBeLessThan(2);
  });

  it('FI-50 answers the fields that are asked for', async () => {
    const startDate = at(inDays(5));
    const { id, folder } = await addEvent(cast.U1, 'Fields', 5, { location: 'Here', startDate });
    const ask = (fields?: string) => query(cast.U1, 'calendar', [text('subject', 'fields')], { fields });
    expect((await ask('id,folder,summary')).data.results).toEqual([{ id, folder, summary: 'Fields' }]);
    expect((await ask()).data.results[0]).toMatchObject({ id, folder, location: 'Here', startDate });
    expect(await ask('nothing')).toMatchObject({ code: 'SVL-0010' });
  });

  it('shows what its reader may see, where he sees it', async () => {
    const body = (title: string, bits: number) => ({
      title: `${title} ${Math.random()}`,
      module: 'calendar',
      permissions: [
        { entity: cast.U1.userId, group: false, bits: 403710016 },
        { entity: cast.U2.userId, group: false, bits },
      ],
    });
    const make = async (title: string, bits: number) =>
      String((await cast.U1.put('folders', 'new', { folder_id: '1', tree: 0 }, body(title, bits))).data);
    const [all, none] = [await make('all', 257), await make('none', 1)];
    await created(cast.U1, { summary: 'Visible one' }, { folder: `cal://0/${all}` });
    for (const visibility of ['PRIVATE', 'CONFIDENTIAL'])
      await created(cast.U1, { summary: 'Visible not', class: visibility }, { folder: `cal://0/${all}` });
    await created(cast.U1, { summary: 'Visible not' }, { folder: `cal://0/${none}` });
    const ask = (user: TestUser, ...facets: ChosenFacet[]) => summaries(user, text('subject', 'visible'), ...facets);
    expect(await ask(cast.U2)).toEqual(['Visible one']);
    expect(await ask(cast.U2, bare('folder', all))).toEqual(['Visible one']);
    expect(await ask(cast.U2, bare('folder', `cal://0/${all}`))).toEqual(['Visible one']);
    expect(await ask(cast.U2, bare('folder', none))).toEqual([]);
    expect(await ask(cast.U3, bare('folder', all))).toEqual([]);
    expect(await ask(cast.U2, bare('folder_type', 'shared'))).toEqual(['Visible one']);
    for (const type of ['private', 'public']) expect(await ask(cast.U2, bare('folder_type', type))).toEqual([]);
    expect(await ask(cast.U1, bare('folder_type', 'private'))).toHaveLength(4);
    expect(await ask(cast.X1)).toEqual([]);
  });

  it.each([
    ['an unknown status', [option('status', 'status', 'MAYBE')], 'FIND-0004'],
    ['an unknown type', [option('type', 'type', 'x')], 'FIND-0004'],
    ['an unknown range', [option('range', 'range', 'x')], 'FIND-0004'],
    ['a user that is none', [option('participant', 'users', 'x')], 'FIND-0004'],
    ['a folder that is none', [bare('folder', 'cal://9/1')], 'FIND-0014'],
    ['an unknown type of folders', [bare('folder_type', 'x')], 'FIND-0015'],
    ['two kinds of places', [bare('folder', '1'), bare('folder_type', 'private')], 'FIND-0016'],
    ['a person without filter', [bare('participant', 'x')], 'FIND-0005'],
    ['no fields', [{ ...text('subject', 'x'), filter: { fields: [], queries: ['x'] } }], 'FIND-0006'],
    ['no queries', [text('subject')], 'FIND-0007'],
    ['an unknown facet', [text('task_title', 'x')], 'FIND-0008'],
    ['an unknown field', [words('subject', 'id', 'x')], 'FIND-0003'],
  ])('refuses %s', async (_case, facets, code) => {
    expect(await query(cast.U1, 'calendar', facets)).toMatchObject({ code });
    const isOfQueryAlone = ['FIND-0004', 'FIND-0014'].includes(code);
    const offered = await complete(cast.U1, 'calendar', 'x', facets);
    expect(offered.code).toBe(isOfQueryAlone ? undefined : code);
  });

  it('refuses more than one page may hold, and an unknown zone', async () => {
    expect(await query(cast.U1, 'calendar', [], {}, { start: 0, size: 100_000 })).toMatchObject({ code: 'FIND-0019' });
    expect(await query(cast.U1, 'calendar', [], { timezone: 'Nowhere/Town' })).toMatchObject({ code: 'CAL-4001' });
  });
});
