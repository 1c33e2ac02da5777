import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';
import { ContextSets, tagsOf } from '../configuration/context-sets';
import { Resellers } from '../configuration/resellers';
import type { ResellerRow } from './reseller.repository';

type Values = Readonly<Record<string, string>>;

/** What decides about the values of the context itself. */
interface ContextFacts {
  readonly name: string;
  readonly reseller: string | null;
  readonly taxonomyTypes: string[];
  readonly values: Values | null;
}

interface UserFacts {
  readonly id: number;
  readonly flags: string[];
  readonly values: Values | null;
}

const CONTEXT_FACTS = `c.name, c.reseller, c.taxonomy_types as "taxonomyTypes",
  (select json_object_agg(v.key, v.value) from property_value v where v.context_id = $1 and v.user_id = 0) as values`;

/** Prefix of the properties that switch capabilities. */
const CAPABILITY = 'com.example.capability.';

/** What a reseller sets, its capabilities included. */
const valuesOf = ({ config, capabilitiesAdded, capabilitiesRemoved }: ResellerRow): Values => ({
  ...Object.fromEntries(capabilitiesAdded.map((id) => [CAPABILITY + id.toLowerCase(), 'true'])),
  ...Object.fromEntries(capabilitiesRemoved.map((id) => [CAPABILITY + id.toLowerCase(), 'false'])),
  ...config,
});

/** Values of the configuration cascade in the scopes user, context, reseller and context sets. */
@Injectable()
export class PropertyRepository {
  constructor(
    private readonly resellers: Resellers,
    private readonly sets: ContextSets,
  ) {}

  /**
   * All values for a user, those of the user over those of the context, its resellers from the nearest to the top, and the
   * context sets. User 0: values of the context alone.
   */
  async effective(db: Reader, userId: number): Promise<Record<string, string>> {
    const row = await db.first<ContextFacts & { flags: string[] | null; own: Values | null }>(
      `select ${CONTEXT_FACTS}, u.access_flags as flags,
         (select json_object_agg(v.key, v.value) from property_value v
          where v.context_id = $1 and v.user_id = $2 and $2 > 0) as own
       from context c left join directory_user u on u.context_id = c.context_id and u.user_id = $2
       where c.context_id = $1`,
      userId,
    );
    if (!row) return {};
    const layers = await this.layersOf(db.contextId, row);
    return { ...layers(row.flags ?? []), ...row.own };
  }

  /** {@link effective} for many users in two statements. */
  async effectiveOf(db: Reader, userIds: readonly number[]): Promise<Map<number, Record<string, string>>> {
    if (userIds.length === 0) return new Map();
    const context = await db.first<ContextFacts>(`select ${CONTEXT_FACTS} from context c where c.context_id = $1`);
    if (!context) return new Map(userIds.map((id) => [id, {}]));
    const layers = await this.layersOf(db.contextId, context);
    const users = await db.objects<UserFacts>(
      `select u.user_id as id, u.access_flags as flags,
         (select json_object_agg(v.key, v.value) from property_value v
          where v.context_id = $1 and v.user_id = u.user_id) as values
       from directory_user u where u.context_id = $1 and u.user_id = any ($2::int[])`,
      userIds,
    );
    const found = new Map(users.map(({ id, flags, values }) => [id, { ...layers(flags), ...values }]));
    return new Map(userIds.map((id) => [id, found.get(id) ?? { ...layers([]) }]));
  }

  /** One property of many users, by user id; users without a value are left out. */
  async ofUsers(db: Reader, key: string, userIds: readonly number[]): Promise<Record<string, string>> {
    const values = await this.effectiveOf(db, userIds);
    return Object.fromEntries(
      [...values].flatMap(([id, { [key]: value }]) => (value === undefined ? [] : [[id, value]])),
    );
  }

  /** The value in one scope, or undefined. */
  async find(db: Reader, userId: number, key: string): Promise<string | undefined> {
    const row = await db.first<{ value: string }>(
      'select value from property_value where context_id = $1 and user_id = $2 and key = $3',
      userId,
      key,
    );
    return row?.value;
  }

  /** Sets the value in one scope. */
  async set(tx: Transaction, userId: number, key: string, value: string): Promise<void> {
    await tx.run(
      `insert into property_value (context_id, user_id, key, value) values ($1, $2, $3, $4)
       on conflict (context_id, user_id, key) do update set value = excluded.value`,
      userId,
      key,
      value,
    );
  }

  /** Removes the value in one scope. */
  async remove(tx: Transaction, userId: number, key: string): Promise<void> {
    await tx.run('delete from property_value where context_id = $1 and user_id = $2 and key = $3', userId, key);
  }

  /** Everything below the user: of the context, its resellers and the sets; the sets depend on the user's module access. */
  private async layersOf(contextId: number, context: ContextFacts): Promise<(flags: readonly string[]) => Values> {
    const chain = context.reseller === null ? [] : (await this.resellers.tree()).chainOf(context.reseller);
    const above: Values = Object.assign({}, ...chain.map(valuesOf).reverse(), context.values) as Values;
    if (this.sets.isEmpty) return () => above;
    const taxonomyTypes = [...context.taxonomyTypes, ...chain.flatMap((reseller) => reseller.taxonomyTypes)];
    return (flags) => ({
      ...this.sets.valuesFor(tagsOf({ contextId, name: context.name, taxonomyTypes, flags })),
      ...above,
    });
  }
}
