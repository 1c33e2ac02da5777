import { folderOwners, folders, type Operation, type UserPrincipal } from '@groupware/contracts';
import { Bus } from '@groupware/messaging';
import { sentStatements } from '@groupware/test-kit';
import { codeOf, createUser, startFolders, type RunningFolders } from './testing/running-folders';

let running: RunningFolders;
let next = 10;
let names = 0;
const someone = (options: Partial<UserPrincipal> = {}): UserPrincipal => createUser((next += 1), options);
const data = async (operation: Operation, user: UserPrincipal, query: object, body?: unknown) =>
  (await running.ask(operation, user, query, body)).data;
const made = (user: UserPrincipal, module: string, parent: string | number = 1, body: object = {}): Promise<string> =>
  data(folders.new, user, { folder_id: String(parent) }, { title: `F${(names += 1)}`, module, ...body });
const below = async (user: UserPrincipal, parent: string, columns = ['1']): Promise<any[]> =>
  data(folders.list, user, { parent, columns });

beforeAll(async () => {
  running = await startFolders();
}, 60_000);
afterAll(() => running?.close());

describe('modules that keep folders', () => {
  it('join by contract alone: their folders stand in one tree, each with a default folder', async () => {
    const user = someone();
    expect(await below(user, '1', ['300', '301', '308', '316'])).toEqual([
      ['My contacts', 'contacts', true, 3],
      ['My tasks', 'tasks', true, 1],
    ]);
    const tasks = await made(user, 'tasks');
    const contacts = await made(user, 'contacts', tasks);
    const deeper = await made(user, 'tasks', contacts);
    expect(await below(user, tasks, ['1', '301'])).toEqual([[contacts, 'contacts']]);
    const path = await data(folders.path, user, { id: deeper, columns: ['1'] });
    expect(path.flat()).toEqual([deeper, contacts, tasks, '1']);
    expect(await data(folders.list, user, { parent: tasks, columns: ['1'], allowed_modules: 'tasks' })).toEqual([]);
  });

  it('give the system folders and the numbers of objects of their part of the tree', async () => {
    const user = someone();
    expect(await below(user, '2', ['1', '300', '301', '302'])).toEqual([['6', 'Everybody', 'contacts', 2]]);
    expect(await data(folders.get, user, { id: 'con://0/6' })).toMatchObject({ id: 'con://0/6', total: 1, unread: 1 });
    const { public: open } = await data(folders.allVisible, user, {
      content_type: 'contact',
      columns: ['1', '309', '307'],
    });
    expect(open).toEqual([['6', 1, '(1 / 1)']]);
    expect(await codeOf(made(user, 'contacts', 6))).toBe('FLD-0006');
    expect(await codeOf(data(folders.get, user, { id: '9' }))).toBe('FLD-0002');
    expect(await codeOf(data(folders.update, user, { id: '6' }, { title: 'x' }))).toBe('FLD-0010');
    for (const type of ['mail', 'infostore', 'event', 'file'])
      expect(await data(folders.allVisible, user, { content_type: type, columns: ['1'] })).toEqual({});
  });

  it('may have a trash: folders go into it, come back to their place, and are gone when deleted there or for good', async () => {
    const user = someone({ capabilities: ['infostore', 'edit_public_folders', 'read_create_shared_folders'] });
    expect((await data(folders.root, user, { columns: ['1'] })).flat()).toEqual(['1', '2', '3', '9']);
    expect((await below(user, '9')).flat()).toEqual(['10', '15']);
    const [[home]] = await below(user, '10');
    const upper = await made(user, 'infostore', home, { title: 'upper' });
    const id = await made(user, 'infostore', upper, { title: 'plans' });
    const child = await made(user, 'infostore', id);
    const remove = (ids: string[], query: object = {}) =>
      running.ask(folders.delete, user, { extendedResponse: true, ...query }, ids);
    expect((await remove([id, child])).data).toMatchObject([
      {
        id,
        path: '/Files/My files/My infostore/upper/plans',
        new_path: '/Files/My files/My infostore/Trash/plans',
        hasFailed: false,
        trashed: true,
      },
      { id: child, hasFailed: false },
    ]);
    const [trash] = (await below(user, home, ['1', '302', '316', '300'])).find(([, type]) => type === 16)!;
    expect(await below(user, trash, ['1', '300'])).toEqual([[id, 'plans']]);
    expect((await below(user, id)).flat()).toEqual([child]);
    const places = async () => (await data(folders.path, user, { id, columns: ['1'] })).flat();
    expect(await places()).toEqual([id, trash, home, '10', '9']);
    expect(await data(folders.get, user, { id })).toMatchObject({ origin: expect.stringMatching(/\/upper$/) });

    expect(await data(folders.restore, user, {}, [id])).toEqual([
      { id, folder: id, path: expect.arrayContaining([{ id: upper, title: 'upper' }]) },
    ]);
    expect(await places()).toEqual([id, upper, home, '10', '9']);
    expect(await codeOf(data(folders.restore, user, {}, [id]))).toBe('FLD-1013');

    // The place is gone and its name is taken: both come back.
    await remove([id]);
    await remove([upper], { hardDelete: true });
    expect(await codeOf(data(folders.get, user, { id: upper }))).toBe('FLD-0008');
    await made(user, 'infostore', await made(user, 'infostore', home, { title: 'UPPER' }), { title: 'Plans' });
    await data(folders.restore, user, {}, [id]);
    expect(await data(folders.get, user, { id })).toMatchObject({ title: 'plans (1)' });

    await remove([id]);
    expect((await remove([id])).data).toMatchObject([{ id, hasFailed: false, trashed: false }]);
    expect(await codeOf(data(folders.get, user, { id }))).toBe('FLD-0008');
    expect((await running.ask(folders.delete, user, {}, [trash])).data).toEqual([trash]);
    expect(await made(user, 'infostore', 15)).toEqual(expect.any(String));
    expect(await codeOf(made(user, 'infostore', 9))).toBe('FLD-0006');
  });

  describe('with a trash', () => {
    const [ALL, VIEWER] = [403710016, 257];
    const capabilities = ['infostore', 'edit_public_folders', 'read_create_shared_folders'];
    const permit = (...entries: (readonly [UserPrincipal, number])[]) =>
      entries.map(([{ userId }, bits]) => ({ entity: userId, group: false, bits }));
    const throwAway = async (user: UserPrincipal, id: string) =>
      expect((await running.ask(folders.delete, user, {}, [id])).data).toEqual([]);
    const pathOf = async (user: UserPrincipal, id: string): Promise<string[]> =>
      (await data(folders.path, user, { id, columns: ['300'] })).flat();
    const someoneWithHome = async () => {
      const user = someone({ capabilities });
      const [[home]] = await below(user, '10');
      return { user, home };
    };

    it.each([
      ['their owner', 'a reader', VIEWER],
      ['their owner', 'another administrator', ALL],
      ['another administrator', 'their owner', ALL],
    ])('thrown away by %s they are lost for %s', async (by, _for, bits) => {
      const [{ user: ann, home }, { user: bob }] = [await someoneWithHome(), await someoneWithHome()];
      const permissions = permit([ann, ALL], [bob, bits]);
      const id = await made(ann, 'infostore', home, { permissions });
      const child = await made(bits === ALL ? bob : ann, 'infostore', id, { permissions });
      const [actor, other] = by === 'their owner' ? [ann, bob] : [bob, ann];
      const { timestamp } = await running.ask(folders.updates, other, { columns: ['1'], timestamp: 0 });
      await throwAway(actor, id);
      for (const each of [id, child])
        expect(await data(folders.get, actor, { id: each })).toMatchObject({
          created_by: String(actor.userId),
          permissions: [expect.objectContaining({ entity: actor.userId, bits: ALL })],
        });
      expect((await pathOf(actor, id))[1]).toBe('Trash');
      expect(await data(folders.shares, actor, { content_type: 'infostore', columns: ['1'] })).toEqual([]);
      const updates = await running.ask(folders.updates, other, { columns: ['1'], timestamp });
      expect(updates.data.sort()).toEqual([id, child].sort());
      for (const each of [id, child]) expect(await codeOf(data(folders.get, other, { id: each }))).toBe('FLD-0003');
      await data(folders.restore, actor, {}, [id]);
      expect(await codeOf(data(folders.get, other, { id: child }))).toBe('FLD-0003');
    });

    it.each([
      ['no right', []],
      ['no right to make folders', [VIEWER]],
    ])('they come back below the own folder where their user has %s any more', async (_what, left) => {
      const [{ user: ann, home }, { user: bob, home: own }] = [await someoneWithHome(), await someoneWithHome()];
      const place = await made(ann, 'infostore', home, {
        title: 'Plans',
        permissions: permit([ann, ALL], [bob, ALL]),
      });
      const id = await made(bob, 'infostore', place);
      await throwAway(bob, id);
      await data(folders.restore, bob, {}, [id]);
      expect((await data(folders.get, bob, { id })).folder_id).toBe(place);
      await throwAway(bob, id);
      const permissions = permit([ann, ALL], ...left.map((bits) => [bob, bits] as const));
      await data(folders.update, ann, { id: place }, { permissions });
      const [{ path }] = await data(folders.restore, bob, {}, [id]);
      expect(path.map((step: { title: string }) => step.title).slice(1, 2)).toEqual(['Plans']);
      expect(path.map((step: { id: string }) => step.id)).toContain(own);
      expect(await below(ann, place)).toEqual([]);
    });

    it('they come back to the public folders while their user may make folders there', async () => {
      const { user, home } = await someoneWithHome();
      const id = await made(user, 'infostore', 15);
      await throwAway(user, id);
      await data(folders.restore, user, {}, [id]);
      expect((await data(folders.get, user, { id })).folder_id).toBe('15');
      await throwAway(user, id);
      const reader = { ...user, capabilities: ['infostore'] };
      await data(folders.restore, reader, {}, [id]);
      expect((await data(folders.get, user, { id })).folder_id).toBe(home);
    });

    it('they come back below a folder that is made again, whose name has slashes', async () => {
      const { user, home } = await someoneWithHome();
      const parent = await made(user, 'infostore', home, { title: 'a/c' });
      const id = await made(user, 'infostore', parent, { title: 'kid' });
      await throwAway(user, id);
      expect((await data(folders.get, user, { id })).origin).toMatch(/\/a\/c$/);
      await running.ask(folders.delete, user, { hardDelete: true }, [parent]);
      const [{ path }] = await data(folders.restore, user, {}, [id]);
      expect(path.slice(0, 2).map((step: { title: string }) => step.title)).toEqual(['kid', 'a/c']);
      expect(path[2].id).toBe(home);
    });
  });

  it('are asked only when the user may use them, and not missed when they do not run', async () => {
    const user = someone({ capabilities: ['contacts', 'calendar', 'read_create_shared_folders'] });
    expect(await below(user, '1', ['301'])).toEqual([['contacts']]);
    expect(folderOwners().map(({ module }) => module)).toContain('calendar');
  });

  it('pass on the rights of a parent that another module keeps', async () => {
    const [ann, bob] = [someone(), someone()];
    const permissions = [
      { entity: ann.userId, bits: 403710016 },
      { entity: bob.userId, bits: 4227330 },
    ];
    const tasks = await made(ann, 'tasks', 1, { permissions });
    expect(await codeOf(made(bob, 'contacts', tasks))).toBe('FLD-0006');
    await running.ask(
      folders.update,
      ann,
      { id: tasks },
      { permissions: [permissions[0], { ...permissions[1], bits: 4227332 }] },
    );
    const contacts = await made(bob, 'contacts', tasks);
    expect(await data(folders.get, ann, { id: contacts })).toMatchObject({ type: 1, created_by: String(ann.userId) });
  });

  it('never stand in a circle, however many modules it has', async () => {
    const user = someone();
    const tasks = await made(user, 'tasks');
    const contacts = await made(user, 'contacts', tasks);
    const deeper = await made(user, 'tasks', contacts);
    for (const goal of [contacts, deeper])
      expect(await codeOf(running.ask(folders.update, user, { id: tasks }, { folder_id: goal }))).toBe('FLD-0045');
    expect(await codeOf(running.ask(folders.update, user, { id: contacts }, { folder_id: deeper }))).toBe('FLD-0045');
    // Two moves at the same time could still make one: nothing may hang then.
    await running.sql('update tasks.folder set parent = $2 where id = $1', [Number(tasks), Number(contacts)]);
    await running.sql('update tasks.folder_counter set last_stamp = last_stamp + 1');
    expect((await data(folders.path, user, { id: tasks, columns: ['1'] })).flat().sort()).toEqual(
      [contacts, tasks].sort(),
    );
    expect((await running.ask(folders.delete, user, {}, [tasks])).data).toEqual([]);
    for (const id of [tasks, contacts, deeper]) expect(await codeOf(data(folders.get, user, { id }))).toBe('FLD-0008');
  });

  it('agree before one of them deletes anything', async () => {
    const user = someone();
    const tasks = await made(user, 'tasks', 2);
    const full = await made(user, 'contacts', tasks, { title: 'full' });
    const empty = await made(user, 'contacts', tasks);
    // Deleting needs the right to delete all objects, else the module looks at them.
    const own = 64 | (64 << 7) | (64 << 14) | (1 << 21) | (1 << 28);
    await running.ask(folders.update, user, { id: full }, { permissions: [{ entity: user.userId, bits: own }] });
    const refused = await running.ask(folders.delete, user, {}, [tasks]);
    expect(refused).toMatchObject({ data: [tasks], warnings: ['FLD-0074'] });
    expect((await below(user, tasks)).flat().sort()).toEqual([empty, full].sort());
    await running.ask(folders.update, user, { id: full }, { title: 'no longer' });
    expect((await running.ask(folders.delete, user, {}, [tasks])).data).toEqual([]);
    for (const id of [tasks, full, empty]) expect(await codeOf(data(folders.get, user, { id }))).toBe('FLD-0008');
  });

  it('give stamps that a client can follow although their clocks differ', async () => {
    const user = someone();
    await below(user, '1');
    // The clock of one module is an hour ahead.
    await running.sql('update tasks.folder_counter set last_stamp = last_stamp + 3600000');
    await made(user, 'tasks');
    const { timestamp } = await running.ask(folders.list, user, { parent: '1', columns: ['1'] });
    const contacts = await made(user, 'contacts');
    const updates = (since: number) =>
      running.ask(folders.updates, user, { parent: '1', columns: ['1'], timestamp: since });
    const later = await updates(timestamp);
    expect(later.data).toEqual([[contacts]]);
    expect((await updates(later.timestamp)).data).toEqual([]);
    await running.ask(folders.delete, user, {}, [contacts]);
    expect((await updates(later.timestamp)).data).toEqual([contacts]);
  });
});

describe('folders written at the same time', () => {
  it('get different names, and none stays below one that is deleted', async () => {
    const user = someone();
    await below(user, '1');
    const same = () =>
      running.ask(folders.new, user, { folder_id: '1', autorename: true }, { title: 'same', module: 'tasks' });
    await Promise.all(Array.from({ length: 8 }, same));
    const titles = (await below(user, '1', ['300'])).flat().filter((title) => title.startsWith('same'));
    expect(titles.sort()).toEqual(['same', ...[1, 2, 3, 4, 5, 6, 7].map((count) => `same (${count})`)]);
    for (let round = 0; round < 5; round += 1) {
      const upper = await made(user, 'tasks');
      const lower = await made(user, 'tasks', upper);
      await Promise.all([
        codeOf(made(user, 'tasks', lower)),
        running.ask(folders.delete, user, {}, [upper]),
        codeOf(made(user, 'tasks', lower)),
      ]);
    }
    const orphans = await running.sql(
      'select id from tasks.folder f where parent % 16 = 1 and parent > 20 and not exists (select from tasks.folder p where p.context_id = f.context_id and p.id = f.parent)',
    );
    expect(orphans.filter(({ id }) => id < 1_600_000)).toEqual([]);
  });
});

describe('the cost of a call', () => {
  /** Statements and messages that a call causes. */
  async function costOf(call: () => Promise<unknown>): Promise<{ statements: number; messages: number }> {
    const publish = jest.spyOn(Bus.prototype, 'publish');
    try {
      const { texts } = await sentStatements(call);
      const subjects = (publish.mock.calls as unknown[][]).map(([subject]) => String(subject));
      return {
        statements: texts.filter((text) => /\bfolder/.test(text)).length,
        messages: subjects.filter((subject) => subject.includes('.svc.')).length,
      };
    } finally {
      publish.mockRestore();
    }
  }

  async function treeOf(size: number) {
    const user = someone();
    await below(user, '1');
    const ids: string[] = [];
    for (let index = 0; index < size; index += 1)
      ids.push(await made(user, 'tasks', index % 2 === 0 ? 1 : ids[index - 1]));
    const upper = await made(user, 'tasks');
    for (let index = 0; index < size; index += 1) await made(user, 'tasks', upper);
    return { user, ids, upper };
  }
  type Tree = Awaited<ReturnType<typeof treeOf>>;
  const columns = ['1', '300', '306', '3060', '304'];
  const CALLS: [string, (tree: Tree) => Promise<unknown>][] = [
    ['root', ({ user }) => running.ask(folders.root, user, { columns })],
    ['list', ({ user }) => running.ask(folders.list, user, { columns, parent: '1' })],
    ['get', ({ user, upper }) => running.ask(folders.get, user, { id: upper })],
    ['path', ({ user, ids }) => running.ask(folders.path, user, { id: ids[1], columns })],
    ['allVisible', ({ user }) => running.ask(folders.allVisible, user, { content_type: 'tasks', columns })],
    ['shares', ({ user }) => running.ask(folders.shares, user, { content_type: 'tasks', columns })],
    ['updates', ({ user }) => running.ask(folders.updates, user, { parent: '1', columns, timestamp: 0 })],
    [
      'new',
      ({ user }) =>
        running.ask(folders.new, user, { folder_id: '1', autorename: true }, { title: 'n', module: 'tasks' }),
    ],
    ['clear', ({ user, ids }) => running.ask(folders.clear, user, {}, ids)],
    ['restore', ({ user, ids }) => codeOf(running.ask(folders.restore, user, {}, ids))],
    [
      'update with cascade',
      ({ user, upper }) =>
        running.ask(
          folders.update,
          user,
          { id: upper, cascadePermissions: true },
          {
            permissions: [
              { entity: user.userId, bits: 403710016 },
              { entity: 0, group: true, bits: 257 },
            ],
          },
        ),
    ],
    [
      'update that moves',
      ({ user, upper, ids }) => running.ask(folders.update, user, { id: upper }, { folder_id: ids[0] }),
    ],
    ['delete', ({ user, ids }) => running.ask(folders.delete, user, {}, ids)],
  ];

  it('does not depend on the number of folders', async () => {
    // The lower of two: a cached property may grow old while a call runs, and be asked for again.
    const costs = async (...trees: Tree[]) => {
      const found: Record<string, Awaited<ReturnType<typeof costOf>>> = {};
      for (const tree of trees)
        for (const [name, call] of CALLS) {
          const cost = await costOf(() => call(tree));
          found[name] = {
            statements: Math.min(cost.statements, found[name]?.statements ?? Infinity),
            messages: Math.min(cost.messages, found[name]?.messages ?? Infinity),
          };
        }
      return found;
    };
    // Names and properties are cached from here on.
    const warm = await treeOf(1);
    await costs({ ...warm, ids: [warm.ids[0]!, warm.ids[0]!] });
    const few = await costs(await treeOf(2), await treeOf(2));
    const many = await costs(await treeOf(15), await treeOf(15));
    expect(many).toEqual(few);
    for (const cost of Object.values(many)) {
      expect(cost.statements).toBeGreaterThan(0);
      expect(cost.messages).toBeGreaterThan(1);
      expect(cost.messages).toBeLessThan(12);
    }
  }, 60_000);

  it('is bounded for thousands of folders in one list', async () => {
    const user = someone();
    await below(user, '1');
    const upper = await made(user, 'tasks');
    await running.sql(
      `insert into tasks.folder (context_id, id, parent, type, title, created_by, modified_by, created, last_modified, changed)
       select 1, 16 * n + 1, $1, 1, 'many ' || n, $2, $2, 1, 1, 1 from generate_series(100000, 102999) n`,
      [Number(upper), user.userId],
    );
    let rows: unknown[] = [];
    const cost = await costOf(async () => {
      rows = (await running.ask(folders.list, user, { columns, parent: upper })).data;
    });
    expect(rows).toHaveLength(3000);
    expect(cost.statements).toBeLessThan(12);
    const gone = await costOf(() => running.ask(folders.delete, user, {}, [upper]));
    expect(gone.statements).toBeLessThan(25);
    expect(await codeOf(running.ask(folders.get, user, { id: upper }))).toBe('FLD-0008');
  }, 60_000);

  it('goes down with all folders, however deep they are', async () => {
    const user = someone();
    const top = await made(user, 'tasks');
    let id = top;
    for (let depth = 0; depth < 120; depth += 1) id = await made(user, 'tasks', id);
    expect(await data(folders.path, user, { id, columns: ['1'] })).toHaveLength(122);
    expect((await running.ask(folders.delete, user, {}, [top])).data).toEqual([]);
    expect(await codeOf(running.ask(folders.get, user, { id }))).toBe('FLD-0008');
  }, 60_000);
});
