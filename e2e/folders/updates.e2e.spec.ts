import * as fc from 'fast-check';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { AUTHOR, freshName, get, made, remove, permissionsFor, update, VIEWER } from './folders';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `s${(count += 1)}`);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const updates = (player: TestUser, parent: string, timestamp: number, more: Record<string, string | number> = {}) =>
  player.get('folders', 'updates', { parent, timestamp, columns: '1', ...more });
/** The newest timestamp of the lists of a player. */
const now = async (player: TestUser): Promise<number> =>
  (await player.get('folders', 'list', { parent: 1, columns: '1' })).timestamp!;

describe('folders: updates', () => {
  it('gives rows for new and changed folders, text for those deleted and moved away, and nothing else', async () => {
    const player = await someone();
    const [kept, changed, gone, moved] = [
      await made(player),
      await made(player),
      await made(player),
      await made(player),
    ];
    const since = await now(player);
    const added = await made(player);
    await update(player, changed, { title: freshName() });
    await remove(player, [gone]);
    await update(player, moved, { folder_id: kept });
    const answer = await updates(player, '1', since);
    expect(answer.data.filter(Array.isArray)).toEqual(expect.arrayContaining([[added], [changed]]));
    expect(answer.data).toHaveLength(4);
    expect(answer.data.filter((item: unknown) => typeof item === 'string').sort()).toEqual([gone, moved].sort());
    // Rows are those of the parent, ids of deleted folders those of the whole tree.
    expect((await updates(player, kept, since)).data).toEqual([[moved], gone]);
    expect((await updates(player, '1', since, { ignore: 'deleted' })).data).toHaveLength(2);
    expect((await updates(player, '1', answer.timestamp!)).data).toEqual([]);
    expect((await updates(player, '0', 0)).data).toEqual([gone]);
    const all = (await player.get('folders', 'updates', { timestamp: since, columns: '1' })).data;
    expect(all.filter(Array.isArray).flat().sort()).toEqual([added, changed, moved].sort());
    expect(all.filter((item: unknown) => typeof item === 'string')).toEqual([gone]);
  });

  it('gives a row for the parent of a new folder, which has others below it now', async () => {
    const player = await someone();
    const parent = await made(player);
    const since = await now(player);
    const child = await made(player, {}, parent);
    const rows = async (more: object = {}) =>
      (await player.get('folders', 'updates', { timestamp: since, columns: '1,304', ...more })).data;
    expect(await rows()).toEqual(
      expect.arrayContaining([
        [parent, true],
        [child, false],
      ]),
    );
    expect(await rows({ parent: 1 })).toEqual([[parent, true]]);
    expect(await rows({ parent })).toEqual([[child, false]]);
    const stranger = await made(player, { module: 'tasks' }, parent);
    expect(await rows({ timestamp: await now(player) })).toEqual([]);
    expect(await rows({ parent })).toContainEqual([stranger, false]);
  });

  it('tells whoever loses a shared folder, and the last one closes the folder of its owner', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const id = await made(owner, { permissions: permissionsFor(owner, [viewer, VIEWER]) });
    const since = await now(viewer);
    await update(owner, id, { permissions: permissionsFor(owner) });
    expect((await updates(viewer, `u:${owner.userId}`, since)).data).toEqual([id]);
    expect((await updates(viewer, '3', since)).data).toEqual([id, `u:${owner.userId}`]);
    expect((await updates(viewer, '3', since, { tree: 1 })).data).toEqual([id]);
    expect((await updates(cast.U3, `u:${owner.userId}`, since)).data).toEqual([]);
    await update(owner, id, { permissions: permissionsFor(owner, [viewer, VIEWER]) });
    expect((await updates(viewer, '3', since)).data).toEqual([[`u:${owner.userId}`]]);
    expect((await updates(viewer, `u:${owner.userId}`, since)).data).toEqual([[id]]);
  });

  it('counts a subscription as a change, for its user only', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const id = await made(owner, { permissions: permissionsFor(owner, [viewer, VIEWER]) });
    const [his, hers] = [await now(viewer), await now(owner)];
    const parent = `u:${owner.userId}`;
    await update(viewer, id, { subscribed: false });
    expect((await updates(viewer, parent, his)).data).toEqual([id]);
    expect((await updates(viewer, parent, his, { all: 1 })).data).toEqual([[id]]);
    expect((await updates(owner, '1', hers)).data).toEqual([]);
    const later = (await updates(viewer, parent, his)).timestamp!;
    await update(viewer, id, { subscribed: true });
    expect((await updates(viewer, parent, later)).data).toEqual([[id]]);
  });

  it('follows the members of groups', async () => {
    const [owner, member] = [await someone(), await someone()];
    const group = await cast.admin.expect('POST', `/admin/v1/contexts/${cast.contextId}/groups`, {
      name: freshName(),
      displayName: 'G',
      members: [],
    });
    const id = await made(owner, {
      permissions: permissionsFor(owner, { entity: group.id, group: true, bits: AUTHOR }),
    });
    const members = `/admin/v1/contexts/${cast.contextId}/groups/${group.id}/members/${member.userId}`;
    const until = async (parent: string, since: number, expected: unknown): Promise<void> => {
      let data: unknown;
      for (let tries = 0; tries < 100; tries += 1) {
        ({ data } = await updates(member, parent, since));
        if (JSON.stringify(data) === JSON.stringify(expected)) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(data).toEqual(expected);
    };
    const before = await now(member);
    await cast.admin.expect('PUT', members);
    await until(`u:${owner.userId}`, before, [[id]]);
    const since = await now(member);
    await cast.admin.expect('DELETE', members);
    await until(`u:${owner.userId}`, since, [id]);
    expect((await get(member, id)).code).toBe('FLD-0003');
  });

  it('never loses and never resurrects a folder: a copy kept by updates equals the lists', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const copies = [ann, bob].flatMap((player) => [new Copy(player, '0'), new Copy(player, '1')]);
    const ids: string[] = [];
    const pick = (number: number): string => ids[number % Math.max(ids.length, 1)] ?? ann.folder;
    const act = async (what: number, which: number, where: number): Promise<void> => {
      const who = which % 3 === 0 ? bob : ann;
      switch (what) {
        case 0: {
          const parent = where % 4 === 0 ? '1' : where % 4 === 1 ? '2' : pick(where);
          const permissions =
            which % 2 === 0 && parent.length === 1 ? permissionsFor(who, [who === ann ? bob : ann, VIEWER]) : undefined;
          const answer = await who.put(
            'folders',
            'new',
            { folder_id: parent },
            { title: freshName(), module: 'calendar', permissions },
          );
          if (answer.data) ids.push(answer.data);
          return;
        }
        case 1:
          await update(who, pick(which), { title: freshName() });
          return;
        case 2:
          await update(who, pick(which), { folder_id: where % 3 === 0 ? '1' : pick(where) });
          return;
        case 3: {
          const other = who === ann ? bob : ann;
          await update(who, pick(which), {
            permissions: permissionsFor(who, [other, where % 2 === 0 ? VIEWER : AUTHOR]),
          });
          return;
        }
        case 4:
          await update(who, pick(which), { permissions: permissionsFor(who) });
          return;
        case 5:
          await remove(who, [pick(which)]);
          return;
        default:
          await update(who, pick(which), { subscribed: where % 2 === 0 });
      }
    };
    for (const copy of copies) await copy.sync();
    const script = fc.sample(fc.tuple(fc.constantFrom(0, 0, 0, 1, 2, 2, 3, 3, 4, 5, 6), fc.nat(60), fc.nat(60)), {
      numRuns: 45,
      seed: Number(process.env.SEED ?? 20_260),
    });
    for (const [index, step] of script.entries()) {
      await act(...step);
      if (index % 5 !== 4) continue;
      for (const copy of copies) {
        await copy.sync();
        expect({ index, ...(await copy.difference()) }).toEqual({ index, missing: [], extra: [] });
      }
    }
    expect(ids.length).toBeGreaterThan(4);
  }, 300_000);
});

const COLUMNS = '1,300,305,314';

/** Copy of a synchronizing client: the rows below each folder it knows. */
class Copy {
  private readonly rows = new Map<string, Map<string, unknown[]>>();
  private readonly stamps = new Map<string, number>();

  constructor(
    private readonly player: TestUser,
    private readonly tree: string,
  ) {}

  async sync(): Promise<void> {
    const reached = new Set<string>();
    for (let level = ['1', '2', '3']; level.length > 0;) {
      for (const parent of level) reached.add(parent);
      const known = await Promise.all(level.map((parent) => this.syncOne(parent)));
      level = [...new Set(known.flat())].filter((id) => !reached.has(id));
    }
    for (const parent of [...this.rows.keys()])
      if (!reached.has(parent)) {
        this.rows.delete(parent);
        this.stamps.delete(parent);
      }
  }

  /** Compares the copy with the lists of the server. */
  async difference(): Promise<{ missing: string[]; extra: string[] }> {
    const text = (parent: string, row: unknown[]) => `${this.player.loginName} ${this.tree} ${parent}: ${row}`;
    const here = [...this.rows].flatMap(([parent, rows]) => [...rows.values()].map((row) => text(parent, row)));
    const listed = [...this.rows.keys()].map(async (parent) => {
      const { data } = await this.player.get('folders', 'list', { parent, columns: COLUMNS, tree: this.tree });
      return data.map((row: unknown[]) => text(parent, row)) as string[];
    });
    const there = (await Promise.all(listed)).flat();
    return {
      missing: there.filter((line) => !here.includes(line)),
      extra: here.filter((line) => !there.includes(line)),
    };
  }

  private async syncOne(parent: string): Promise<string[]> {
    const since = this.stamps.get(parent);
    const query = { parent, columns: COLUMNS, tree: this.tree };
    const answer =
      since === undefined
        ? await this.player.get('folders', 'list', query)
        : await this.player.get('folders', 'updates', { ...query, timestamp: since });
    if (!answer.data) throw new Error(`${parent}: ${JSON.stringify(answer)}`);
    const rows = this.rows.get(parent) ?? new Map<string, unknown[]>();
    for (const item of answer.data as (unknown[] | string)[])
      if (typeof item === 'string') rows.delete(item);
      else rows.set(String(item[0]), item);
    this.rows.set(parent, rows);
    this.stamps.set(parent, answer.timestamp!);
    return [...rows.keys()];
  }
}
