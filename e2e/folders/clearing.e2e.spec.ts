import fc from 'fast-check';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { made, permissionsFor, update, warned } from './folders';

// Clearing a folder deletes what its user may delete object by object, and nothing else.
const FAR = '9223372036854775807';
const CLASSES = ['PUBLIC', 'CONFIDENTIAL', 'PRIVATE'] as const;
/** Creates, reads, changes and deletes everything. */
const EDITOR = 2 + (2 << 7) + (2 << 14) + (2 << 21);
let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `cl${(count += 1)}`);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

interface DrawnObject {
  readonly byOwner: boolean;
  readonly class: (typeof CLASSES)[number];
}

/** A folder with every right on its objects, and with each kind of them. */
const SHARED = {
  isPublic: false,
  read: 2,
  remove: 2,
  objects: CLASSES.map((level) => ({ byOwner: true, class: level })),
};

/** The ways of a module to create, delete and list objects. */
interface ObjectModule {
  create(who: TestUser, folder: string, object: DrawnObject): Promise<string>;
  delete(who: TestUser, folder: string, id: string): Promise<unknown>;
  list(who: TestUser, folder: string): Promise<string[]>;
}

const flagged = (module: 'contacts' | 'tasks', content: object): ObjectModule => ({
  async create(who, folder, { class: level }) {
    const body = { ...content, folder_id: Number(folder), private_flag: level === 'PRIVATE' };
    const { data, error } = await who.put(module, 'new', {}, body);
    expect(error).toBeUndefined();
    return String(data.id);
  },
  delete: (who, folder, id) => who.put(module, 'delete', { timestamp: FAR }, [{ id, folder }]),
  list: async (who, folder) => ((await who.get(module, 'all', { folder, columns: '1' })).data ?? []).flat().map(String),
});
const MODULES: Readonly<Record<string, ObjectModule>> = {
  contacts: flagged('contacts', { last_name: 'Moore' }),
  tasks: flagged('tasks', { title: 'Review' }),
  calendar: {
    async create(who, folder, { class: level }) {
      const time = { startDate: { value: '20300601T080000Z' }, endDate: { value: '20300601T090000Z' } };
      const query = { folder: `cal://0/${folder}`, checkConflicts: false };
      const { data, error } = await who.put('chronos', 'new', query, { ...time, summary: 'Review', class: level });
      expect(error).toBeUndefined();
      return data.created[0].id;
    },
    delete: (who, folder, id) =>
      who.put('chronos', 'delete', { timestamp: FAR }, [{ id, folder: `cal://0/${folder}` }]),
    async list(who, folder) {
      const range = { rangeStart: '20300601T000000Z', rangeEnd: '20300602T000000Z', fields: 'id' };
      const { data } = await who.get('chronos', 'all', { folder: `cal://0/${folder}`, ...range });
      return (data ?? []).map(({ id }: { id: string }) => id);
    },
  },
};

describe.each(Object.entries(MODULES))('clear of a folder of %s', (module, objects) => {
  it('leaves private objects of its owner, and tells no one of those that are hidden', async () => {
    const [owner, member] = [await someone(), await someone()];
    const folder = await made(owner, { module, permissions: permissionsFor(owner, [member, EDITOR]) });
    const hidden = await objects.create(owner, folder, { byOwner: true, class: 'PRIVATE' });
    await objects.create(owner, folder, { byOwner: true, class: 'PUBLIC' });
    expect((await member.put('folders', 'clear', {}, [folder])).data).toEqual([]);
    expect(await objects.list(owner, folder)).toEqual([hidden]);
    expect((await owner.put('folders', 'clear', {}, [folder])).data).toEqual([]);
    expect(await objects.list(owner, folder)).toEqual([]);
  });

  it('deletes what may be deleted object by object, or nothing where one that is seen may not', async () => {
    const drawn = fc.record({
      isPublic: fc.boolean(),
      read: fc.constantFrom(0, 1, 2),
      remove: fc.constantFrom(0, 1, 2),
      objects: fc.array(fc.record({ byOwner: fc.boolean(), class: fc.constantFrom(...CLASSES) }), {
        minLength: 1,
        maxLength: 4,
      }),
    });
    const [owner, member] = [await someone(), await someone()];
    await fc.assert(
      fc.asyncProperty(drawn, async (one) => {
        const fill = async () => {
          const permissions = permissionsFor(owner, [member, EDITOR]);
          const folder = await made(owner, { module, permissions }, one.isPublic ? '2' : '1');
          const ids: string[] = [];
          for (const { byOwner, class: level } of one.objects) {
            const isOpen = one.isPublic || !byOwner || (module !== 'calendar' && level === 'CONFIDENTIAL');
            const who = byOwner ? owner : member;
            ids.push(await objects.create(who, folder, { byOwner, class: isOpen ? 'PUBLIC' : level }));
          }
          const bits = 1 + (one.read << 7) + (one.remove << 21);
          await update(owner, folder, { permissions: permissionsFor(owner, [member, bits]) });
          return { folder, ids };
        };
        const stays = async ({ folder, ids }: Awaited<ReturnType<typeof fill>>) => {
          const left = await objects.list(owner, folder);
          return ids.map((id) => left.includes(id));
        };
        const [singly, cleared] = [await fill(), await fill()];
        const seen = await objects.list(member, singly.folder);
        for (const id of singly.ids) await objects.delete(member, singly.folder, id);
        const expected = await stays(singly);
        const isSeen = singly.ids.some((id, index) => expected[index] && seen.includes(id));
        const isRefused = one.remove === 0 || (one.remove === 2 && isSeen);
        const answer = await member.put('folders', 'clear', {}, [cleared.folder]);
        expect(answer.data).toEqual(isRefused ? [cleared.folder] : []);
        expect(warned(answer)).toEqual(isRefused ? ['FLD-0032'] : []);
        expect(await stays(cleared)).toEqual(isRefused ? cleared.ids.map(() => true) : expected);
      }),
      { numRuns: 12, examples: [[SHARED]] },
    );
  }, 120_000);
});

describe('clear of a calendar', () => {
  it('takes exceptions along with their series, and leaves those of series that stay', async () => {
    const [owner, member] = [await someone(), await someone()];
    const folder = await made(owner, { permissions: permissionsFor(owner, [member, EDITOR]) });
    const query = { folder: `cal://0/${folder}`, checkConflicts: false };
    const time = { startDate: { value: '20300601T080000Z' }, endDate: { value: '20300601T090000Z' } };
    const range = { rangeStart: '20300601T000000Z', rangeEnd: '20300604T000000Z', expand: true, fields: 'summary' };
    for (const [maker, changer] of [
      [owner, member],
      [member, owner],
    ] as const) {
      const name = maker === owner ? 'Stays' : 'Goes';
      const event = { ...time, summary: name, rrule: 'FREQ=DAILY;COUNT=3' };
      const { data } = await maker.put('chronos', 'new', query, event);
      const occurrence = { ...query, id: data.created[0].id, recurrenceId: '20300602T080000Z', timestamp: FAR };
      const changed = await changer.put('chronos', 'update', occurrence, { event: { summary: `${name}, changed` } });
      expect(changed.error).toBeUndefined();
    }
    const bits = 1 + (2 << 7) + (1 << 21);
    await update(owner, folder, { permissions: permissionsFor(owner, [member, bits]) });
    expect((await member.put('folders', 'clear', {}, [folder])).data).toEqual([]);
    const { data: left } = await owner.get('chronos', 'all', { folder: query.folder, ...range });
    expect(left.map(({ summary }: { summary: string }) => summary).sort()).toEqual([
      'Stays',
      'Stays',
      'Stays, changed',
    ]);
  });
});
