import { Injectable } from '@nestjs/common';
import {
  contactUsers,
  DIRECTORY_RIGHTS,
  recordCheck,
  fieldsOf,
  jsonText,
  parseRowRange,
  reply,
  RequestErrors,
  resolveRequestZone,
  sortOrder,
  UserData,
  type Reply,
  type UserAllQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { BasePathSettings } from '@groupware/service-kit';
import { COLLATION } from '../persistence/collation';
import { PUBLIC_COLUMNS, userColumns } from '../persistence/user.columns';
import { GuestUsers } from './guest-users';

/** Alternative column names that existing clients send. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  '102': '103',
  martial_status: 'marital_status',
  busines_categorie: 'business_category',
};

/** Sorting by family name, as address books do: the first of these that is set. */
const SPECIAL_SORTING = `coalesce(nullif(u.surname, ''), nullif(u.display_name, ''), u.person->>'company', u.primary_email)`;
const SPECIAL = new Set(['607', 'special_sorting', '609', 'useCountGlobalFirst']);

const PARAMETER_TYPES =
  '$2::text is not null and $3::int is not null and $4::text is not null and ($5::jsonb is null or true)';

/** Postgres takes at most 100 arguments per function. */
const MAX_ARGUMENTS = 50;

/** Number of the first parameter of a condition. */
export const FIRST_PARAMETER = 6;

/** Fields that the contacts of users know. */
const OF_CONTACTS: ReadonlySet<string> = new Set([
  'number_of_attachments',
  'lastModifiedOfNewestAttachmentUTC',
  'useCount',
] satisfies (keyof UserData)[]);

/** Selects users; parameters of the condition start at {@link FIRST_PARAMETER}. */
export interface UserCondition {
  readonly sql: string;
  /** A table to join with, for orders that come from the request. */
  readonly join?: string;
  readonly params: readonly unknown[];
}

const normalizeColumn = (column: string): string =>
  Object.hasOwn(OTHER_NAMES, column) ? OTHER_NAMES[column]! : column;

/** Reads users as column arrays; Postgres builds the JSON. */
@Injectable()
export class UserRows {
  /** Base path of URLs of this server. */
  private readonly basePath: string;

  constructor(
    private readonly database: ModuleDatabase,
    base: BasePathSettings,
    private readonly caller: Caller,
    private readonly guests: GuestUsers,
  ) {
    this.basePath = base.basePaths()[0] ?? '';
  }

  /** Rows of the users that fit the condition, with the newest change as timestamp. Guests see themselves alone. @throws SVL-0010 */
  async readRows(
    principal: UserPrincipal,
    query: UserAllQuery,
    condition: UserCondition = { sql: 'true', params: [] },
    order = toOrderClause(principal, query),
  ): Promise<Reply<unknown[][]>> {
    if (principal.guest) return this.readRowsOfGuest(principal, query.columns, [principal.userId]);
    const { rows, stamp } = await this.loadRows(principal, query, condition, order);
    return reply<unknown[][]>(jsonText(rows), { timestamp: stamp });
  }

  /**
   * Rows of some users, and of guests among them, in the order of their ids.
   * @param guests those of the ids that are guests
   */
  async readRowsById(
    principal: UserPrincipal,
    query: Pick<UserAllQuery, 'columns' | 'timezone'>,
    ids: readonly number[],
    guests: ReadonlyMap<number, UserData>,
  ): Promise<Reply<unknown[][]>> {
    // One row per requested id, duplicates included.
    const join = `join unnest($${FIRST_PARAMETER}::int[]) with ordinality as wanted (id, place) on wanted.id = u.user_id`;
    const condition = { sql: 'true', join, params: [ids] };
    // Beside guests the rows tell whose they are.
    const columns = guests.size === 0 ? query.columns : ['1', ...query.columns];
    const { rows, stamp } = await this.loadRows(principal, { ...query, columns }, condition, 'wanted.place');
    if (guests.size === 0) return reply<unknown[][]>(jsonText(rows), { timestamp: stamp });
    const found = new Map([...guests].map(([id, guest]) => [id, toDataRow(query.columns, guest)]));
    for (const [id, ...row] of JSON.parse(rows) as unknown[][]) found.set(Number(id), row);
    const stamps = [...guests.values()].map((guest) => guest.last_modified_utc ?? 0);
    return reply(
      ids.flatMap((id) => (found.has(id) ? [found.get(id)!] : [])),
      { timestamp: Math.max(stamp ?? 0, ...stamps) },
    );
  }

  /** Loads the rows of users as JSON, with the newest change. */
  private async loadRows(
    principal: UserPrincipal,
    query: Pick<UserAllQuery, 'columns' | 'timezone' | 'sort' | 'left_hand_limit' | 'right_hand_limit'>,
    condition: UserCondition,
    order: string,
  ): Promise<{ readonly rows: string; readonly stamp: number | undefined }> {
    const select = toRowExpression(principal, query.columns.map(normalizeColumn));
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const { from, maxRows } = parseRowRange(query, Infinity);
    const page = `limit ${Number.isFinite(maxRows) ? maxRows : 'all'} offset ${from}`;
    const wanted = [...query.columns, ...(query.sort === undefined ? [] : [String(query.sort)])];
    const figures = wanted.some(isOfContacts) ? await this.loadFigures(principal) : null;
    return this.database.read(principal, async (db) => {
      // $2 is the zone of times, $3 the reader, $4 the base path, $5 figures of contacts: all must occur in the statement whatever the columns
      // are.
      const found = await db.first<{ rows: string | null; stamp: number | null }>(
        `select json_agg(x.row order by x.place)::text as rows, max(x.stamp) as stamp from (
           select ${select} as row, u.changed_at as stamp, row_number() over (order by ${order}, u.user_id) as place
           from directory_user u ${condition.join ?? ''}
           where u.context_id = $1 and ${PARAMETER_TYPES} and (${condition.sql})
           order by ${order}, u.user_id ${page}) x`,
        zone,
        principal.userId,
        this.basePath,
        figures,
        ...condition.params,
      );
      return { rows: found?.rows ?? '[]', stamp: found?.stamp ?? undefined };
    });
  }

  /** Rows of some users for a guest, in the order of their ids; those whom the guest does not see are left out. */
  async readRowsOfGuest(
    principal: UserPrincipal,
    columns: readonly string[],
    ids: readonly number[],
  ): Promise<Reply<unknown[][]>> {
    recordCheck(DIRECTORY_RIGHTS.seeUser);
    const found = await Promise.all(ids.map((id) => this.findUserData(principal, id)));
    const rows = found.flatMap((data) => (data ? [toDataRow(columns, data)] : []));
    const stamps = found.flatMap((data) => data?.last_modified_utc ?? []);
    return reply(rows, { timestamp: stamps.length > 0 ? Math.max(...stamps) : undefined });
  }

  /**
   * One user, or a guest whom the reader invited, as an object without empty fields; undefined for others. Guests see themselves,
   * and the name of who invited them.
   * @throws SVL-0010
   */
  async findUserData(principal: UserPrincipal, userId: number, timezone?: string): Promise<UserData | undefined> {
    const zone = resolveRequestZone(timezone, principal.timeZone);
    if (principal.guest) {
      if (userId === principal.userId) return this.guests.findUserData(principal);
      if (!(await this.guests.listVisible(principal)).has(userId)) return undefined;
    }
    const fields = fieldsOf(UserData);
    const figures = await this.loadFigures(principal, [userId]);
    const text = await this.database.read(principal, (db) =>
      db.text(
        `select ${toRowExpression(
          principal,
          fields.map((field) => field.wireName),
        )}::text from directory_user u
         where u.context_id = $1 and ${PARAMETER_TYPES} and u.user_id = $${FIRST_PARAMETER}`,
        zone,
        principal.userId,
        this.basePath,
        figures,
        userId,
      ),
    );
    if (text === undefined) return (await this.guests.findInvited(principal, [userId])).get(userId);
    const values = JSON.parse(text) as unknown[];
    return Object.fromEntries(
      fields.flatMap((field, index) => (values[index] === null ? [] : [[field.wireName, values[index]]])),
    ) as unknown as UserData;
  }

  /** Loads figures of the contacts of users, as JSON; null while their module does not answer. */
  private async loadFigures(user: UserPrincipal, users?: number[]): Promise<string | null> {
    const principal = { kind: 'internal', service: 'identity', contextId: user.contextId, user } as const;
    try {
      return JSON.stringify(await this.caller.call(contactUsers.figures, { principal, query: { users } }));
    } catch {
      // The users themselves can be told all the same.
      return null;
    }
  }
}

/** The row of an object without empty fields. */
function toDataRow(columns: readonly string[], data: UserData): unknown[] {
  const values: Readonly<Record<string, unknown>> = { ...data };
  return columns.map((column) => values[userColumns.field(normalizeColumn(column)).property] ?? null);
}

const isOfContacts = (column: string): boolean => OF_CONTACTS.has(userColumns.field(normalizeColumn(column)).property);

/**
 * Masks an SQL expression for readers without the global address book, who can neither read, search nor sort by it.
 * @param property field that the expression is made of
 */
export const restrictToReader = ({ capabilities }: UserPrincipal, property: string, expression: string): string =>
  capabilities.includes('gab') || PUBLIC_COLUMNS.has(property)
    ? expression
    : `case when u.user_id = $3 then ${expression} else null end`;

/** The JSON array of one row. */
function toRowExpression(principal: UserPrincipal, columns: readonly string[]): string {
  recordCheck(DIRECTORY_RIGHTS.seeUser);
  const expressions = columns.map((column) => {
    const { property } = userColumns.field(column);
    const expression = userColumns.expression(property as keyof UserData & string) ?? 'null';
    return restrictToReader(principal, property, expression);
  });
  const pieces: string[] = [];
  for (let at = 0; at < expressions.length; at += MAX_ARGUMENTS)
    pieces.push(`jsonb_build_array(${expressions.slice(at, at + MAX_ARGUMENTS).join(', ')})`);
  return pieces.length === 0 ? `'[]'::jsonb` : `(${pieces.join(' || ')})`;
}

function toOrderClause(principal: UserPrincipal, query: Pick<UserAllQuery, 'sort' | 'order'>): string {
  const wanted = sortOrder(query);
  if (!wanted) return 'u.user_id';
  const { column, descending } = wanted;
  const direction = descending ? 'desc' : 'asc';
  // Only fields visible to all readers; the family name always is.
  if (SPECIAL.has(column)) return `lower((${SPECIAL_SORTING}) ${COLLATION}) ${direction}`;
  const field = userColumns.field(normalizeColumn(column));
  const expression = userColumns.expression(field.property as keyof UserData & string);
  if (expression === undefined || field.type === 'list') throw RequestErrors.badParameter('sort', column);
  const seen = restrictToReader(principal, field.property, expression);
  const sortable = field.type === 'text' || field.type === 'id' ? `lower((${seen}) ${COLLATION})` : seen;
  return `${field.wireName === 'id' ? 'u.user_id' : sortable} ${direction} nulls last`;
}
