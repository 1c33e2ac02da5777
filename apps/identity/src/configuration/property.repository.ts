import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';
import { reduceFlags } from '../domain/module-access';
import { ContextSets, toTags } from './context-sets';
import { Resellers } from './resellers';
import type { ResellerRow } from './reseller.repository';

type Values = Readonly<Record<string, string>>;

/** Facts that determine the values of the context itself. */
interface ContextFacts {
  readonly name: string;
  readonly reseller: string | null;
  readonly taxonomyTypes: string[];
  readonly values: Values | null;
}

interface UserFacts {
  readonly id: number;
  readonly flags: string[];
  readonly contextFlags: string[];
  readonly values: Values | null;
}

const CONTEXT_FACTS = `c.name, c.reseller, c.taxonomy_types as "taxonomyTypes",
  (select json_object_agg(v.key, v.value) from property_value v where v.context_id = $1 and v.user_id = 0) as values`;

/** Prefix of the properties that switch capabilities. */
const CAPABILITY = 'com.example.capability.';

/** Values of a reseller, its capabilities included. */
const toValues = ({ config, capabilitiesAdded, capabilitiesRemoved }: ResellerRow): Values => ({
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
  async getEffective(db: Reader, userId: number): Promise<Record<string, string>> {
    const row = await db.first<ContextFacts & { flags: string[] | null; contextFlags: string[]; own: Values | null }>(
      `select ${CONTEXT_FACTS}, u.access_flags as flags, c.access_flags as "contextFlags",
         (select json_object_agg(v.key, v.value) from property_value v
          where v.context_id = $1 and v.user_id = $2 and $2 > 0) as own
       from context c left join directory_user u on u.context_id = c.context_id and u.user_id = $2
       where c.context_id = $1`,
      userId,
    );
    if (!row) return {};
    const layers = await this.loadLayers(db.contextId, row);
    return { ...layers(reduceFlags(row.flags ?? [], row.contextFlags)), ...row.own };
  }

  /** {@link getEffective} for many users in two statements. */
  async getEffectiveOfUsers(db: Reader, userIds: readonly number[]): Promise<Map<number, Record<string, string>>> {
    const { found, layers } = await this.readEffective(db, userIds);
    return new Map(userIds.map((id) => [id, found.get(id) ?? { ...layers([]) }]));
  }

  /** Reads one property of many users, by user id; users without value are left out, unknown ids are null. */
  async getOfUsers(db: Reader, key: string, userIds: readonly number[]): Promise<Record<string, string | null>> {
    const { found } = await this.readEffective(db, userIds);
    return Object.fromEntries(
      userIds.flatMap((id): [number, string | null][] => {
        const values = found.get(id);
        if (!values) return [[id, null]];
        const value = values[key];
        return value === undefined ? [] : [[id, value]];
      }),
    );
  }

  /** Effective values of existing users, and a function for the values of the context by flags. */
  private async readEffective(db: Reader, userIds: readonly number[]) {
    const found = new Map<number, Record<string, string>>();
    const context =
      userIds.length === 0
        ? undefined
        : await db.first<ContextFacts>(`select ${CONTEXT_FACTS} from context c where c.context_id = $1`);
    if (!context) return { found, layers: () => ({}) };
    const layers = await this.loadLayers(db.contextId, context);
    const users = await db.objects<UserFacts>(
      `select u.user_id as id, u.access_flags as flags, c.access_flags as "contextFlags",
         (select json_object_agg(v.key, v.value) from property_value v
          where v.context_id = $1 and v.user_id = u.user_id) as values
       from directory_user u join context c on c.context_id = u.context_id
       where u.context_id = $1 and u.user_id = any ($2::int[])`,
      userIds,
    );
    for (const { id, flags, contextFlags, values } of users)
      found.set(id, { ...layers(reduceFlags(flags, contextFlags)), ...values });
    return { found, layers };
  }

  /** The value in one scope, or undefined. */
  async findValue(db: Reader, userId: number, key: string): Promise<string | undefined> {
    const row = await db.first<{ value: string }>(
      'select value from property_value where context_id = $1 and user_id = $2 and key = $3',
      userId,
      key,
    );
    return row?.value;
  }

  /** Sets the value in one scope. */
  async upsert(tx: Transaction, userId: number, key: string, value: string): Promise<void> {
    await tx.run(
      `insert into property_value (context_id, user_id, key, value) values ($1, $2, $3, $4)
       on conflict (context_id, user_id, key) do update set value = excluded.value`,
      userId,
      key,
      value,
    );
  }

  /** Removes the value in one scope. */
  async delete(tx: Transaction, userId: number, key: string): Promise<void> {
    await tx.run('delete from property_value where context_id = $1 and user_id = $2 and key = $3', userId, key);
  }

  /** Loads the layers below the user: context, resellers and context sets, which depend on the user's module access. */
  private async loadLayers(contextId: number, context: ContextFacts): Promise<(flags: readonly string[]) => Values> {
    const chain = context.reseller === null ? [] : (await this.resellers.loadTree()).listChain(context.reseller);
    const above: Values = Object.assign({}, ...chain.map(toValues).reverse(), context.values) as Values;
    if (this.sets.isEmpty) return () => above;
    const taxonomyTypes = [...context.taxonomyTypes, ...chain.flatMap((reseller) => reseller.taxonomyTypes)];
    return (flags) => ({
      ...this.sets.resolveValues(toTags({ contextId, name: context.name, taxonomyTypes, flags })),
      ...above,
    });
  }
}
