import * as fc from 'fast-check';
import { Client } from 'pg';
import { ALL_RIGHTS, toBits, effectiveRights, combineRights, parseRights, type FolderKind } from '../domain/rights';
import { grantedRights } from './effective-rights.sql';

interface Entry {
  readonly entity: number;
  readonly group: boolean;
  readonly bits: number;
}
interface Sample {
  readonly folder: FolderKind;
  readonly user: { readonly userId: number; readonly groups: number[]; readonly capabilities: string[] };
  readonly entries: Entry[];
}

const rank = fc.constantFrom(0, 1, 2, 64);
const bits = fc
  .record({ folder: fc.constantFrom(0, 1, 2, 4, 64), read: rank, write: rank, remove: rank, admin: fc.boolean() })
  .map(toBits);
/** Few ids, so that users, groups and owners meet; users and groups share one number space. */
const id = fc.integer({ min: 0, max: 5 });
const samples = fc.record<Sample>({
  folder: fc
    .constantFrom({ type: 1 } as const, { type: 2 } as const, { type: 2, isPersonal: true } as const)
    .chain((kind) => id.map((owner) => ({ ...kind, owner }))),
  user: fc.record({
    userId: id,
    groups: fc.uniqueArray(id, { maxLength: 4 }),
    capabilities: fc.subarray(['edit_public_folders', 'read_create_shared_folders']),
  }),
  entries: fc.uniqueArray(fc.record({ entity: id, group: fc.boolean(), bits }), {
    selector: ({ entity, group }) => `${group}:${entity}`,
    maxLength: 8,
  }),
});
const concern = ({ user }: Sample, { entity, group }: Entry): boolean =>
  group ? user.groups.includes(entity) : entity === user.userId;

/** The rule of the API, group of bits by group of bits, written without the code under test. */
function expected(sample: Sample): number {
  const { folder, user, entries } = sample;
  const own = entries.filter((entry) => concern(sample, entry)).map((entry) => entry.bits);
  const best = (shift: number, size: number): number =>
    own.reduce((highestRank, value) => Math.max(highestRank, Math.floor(value / 2 ** shift) % 2 ** size), 0);
  const [see, read, write, remove, admin] = [best(0, 7), best(7, 7), best(14, 7), best(21, 7), best(28, 1)];
  const number = (...ranks: number[]): number =>
    ranks.reduce((sum, value, index) => sum + value * 2 ** [0, 7, 14, 21, 28][index]!, 0);
  if ((folder.type === 1 || folder.isPersonal) && folder.owner === user.userId) return ALL_RIGHTS;
  if (folder.type === 1) {
    return user.capabilities.includes('read_create_shared_folders') ? number(see, read, write, remove, admin) : 0;
  }
  return folder.isPersonal || user.capabilities.includes('edit_public_folders')
    ? number(see, read, write, remove, admin)
    : number(Math.min(see, 1), read, 0, 0, 0);
}

describe('effective rights', () => {
  it('are the same in SQL, in TypeScript and in the rule of the API, for any permissions', async () => {
    const drawn = fc.sample(samples, { numRuns: 2000, seed: 20_260 });
    const client = new Client({ connectionString: process.env.DATABASE_URL });
    await client.connect();
    try {
      await client.query(`
        create temporary table folder (context_id int, id int, type int, kind int, created_by int, asks int, groups int[]);
        create temporary table folder_permission (context_id int, folder_id int, entity int, is_group boolean, bits int)`);
      await client.query(
        `insert into folder select 1, (x->>'id')::int, (x->>'type')::int, coalesce((x->>'isPersonal')::boolean, false)::int, (x->>'owner')::int, (x->>'asks')::int,
           array(select jsonb_array_elements_text(x->'groups')::int) from jsonb_array_elements($1) x`,
        [
          JSON.stringify(
            drawn.map(({ folder, user }, index) => ({ id: index, ...folder, asks: user.userId, groups: user.groups })),
          ),
        ],
      );
      await client.query(
        `insert into folder_permission select 1, (x->>'id')::int, (x->>'entity')::int, (x->>'group')::boolean, (x->>'bits')::int
         from jsonb_array_elements($1) x`,
        [JSON.stringify(drawn.flatMap(({ entries }, index) => entries.map((entry) => ({ id: index, ...entry }))))],
      );
      // The same entries in another context have no effect here.
      await client.query(
        `insert into folder_permission select 2, folder_id, e, true, ${ALL_RIGHTS} from folder_permission, generate_series(0, 5) e`,
      );
      const { rows } = await client.query<{ granted: number }>(
        `select ${grantedRights({ folder: 'f', user: 'f.asks', groups: 'f.groups' })} as granted from folder f order by id`,
      );
      for (const [index, sample] of drawn.entries()) {
        const own = sample.entries.filter((entry) => concern(sample, entry)).map((entry) => entry.bits);
        const inSql = effectiveRights(rows[index]!.granted, sample.folder, sample.user);
        const inCode = effectiveRights(combineRights(own), sample.folder, sample.user);
        expect({ sample, inSql, inCode }).toEqual({ sample, inSql: expected(sample), inCode: expected(sample) });
      }
    } finally {
      await client.end();
    }
  });

  it('never shrink when a permission, a group or a capability is added', () => {
    const atLeast = (more: number, less: number): boolean => {
      const [left, right] = [parseRights(more), parseRights(less)];
      return (
        (['folder', 'read', 'write', 'remove'] as const).every((key) => left[key] >= right[key]) &&
        Number(left.admin) >= Number(right.admin)
      );
    };
    const rights = (sample: Sample): number =>
      effectiveRights(
        combineRights(sample.entries.filter((entry) => concern(sample, entry)).map((entry) => entry.bits)),
        sample.folder,
        sample.user,
      );
    fc.assert(
      fc.property(samples, id, bits, (sample, entity, added) => {
        const { user } = sample;
        const more: Sample[] = [
          { ...sample, entries: [...sample.entries, { entity, group: true, bits: added }] },
          { ...sample, user: { ...user, groups: [...user.groups, entity] } },
          { ...sample, user: { ...user, capabilities: ['edit_public_folders', 'read_create_shared_folders'] } },
        ];
        return more.every((larger) => atLeast(rights(larger), rights(sample)));
      }),
      { numRuns: 2000 },
    );
  });

  it('survive being taken apart and put together', () => {
    fc.assert(
      fc.property(bits, (value) => toBits(parseRights(value)) === value && combineRights([value, 0, value]) === value),
    );
  });
});
