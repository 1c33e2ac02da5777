import type { GroupData, ResourceData, UserPrincipal } from '@groupware/contracts';
import type { GroupRow } from '../persistence/group.repository';
import type { ResourceRow } from '../persistence/resource.repository';
import type { Actor } from '../domain/actor';

/** A group as clients see it. */
export const toGroupData = (row: GroupRow): GroupData => ({
  id: row.id,
  name: row.name,
  display_name: row.displayName,
  members: row.members,
  last_modified_utc: row.changedAt,
});

/** Fields by their numbers. Sources do not tell which of the two names is which: both numbers stand for both. */
const GROUP_COLUMNS: Readonly<Record<string, readonly (keyof GroupData)[]>> = {
  1: ['id'],
  6: ['last_modified_utc'],
  700: ['name', 'display_name'],
  701: ['name', 'display_name'],
  702: ['members'],
};

/** Converts a group to its id and the fields of some columns. */
export function toGroupDataOfColumns(row: GroupRow, columns: readonly string[]): GroupData {
  const data = toGroupData(row);
  const wanted = new Set<string>(['id', ...columns.flatMap((column) => GROUP_COLUMNS[column] ?? column)]);
  return Object.fromEntries(Object.entries(data).filter(([name]) => wanted.has(name)));
}

/** A resource as clients see it. */
export const toResourceData = (row: ResourceRow): ResourceData => ({
  id: row.id,
  name: row.name,
  display_name: row.displayName,
  mailaddress: row.email,
  availability: row.available,
  ...(row.description === null ? {} : { description: row.description }),
  // The API has the stamps of resources as text, other than those of groups.
  ...(row.changedAt !== undefined && {
    last_modified: String(row.changedAt),
    last_modified_utc: String(row.changedAt),
  }),
});

/** Newest change of some rows, for the timestamp of the response. */
export const findNewestStamp = (rows: readonly { readonly changedAt?: number }[], floor = 0): number =>
  rows.reduce((newest, row) => Math.max(newest, row.changedAt ?? 0), floor);

/** Refuses empty required fields. @throws the error that `missing` creates for the first one */
export function requirePresent<T extends object>(
  body: T,
  fields: readonly (keyof T & string)[],
  missing: (field: string) => Error,
): void {
  const removed = fields.find((field) => body[field] === null || body[field] === '');
  if (removed !== undefined) throw missing(removed);
}

/** The actor of a user who changes groups or resources. */
export const toUserActor = (principal: UserPrincipal): Actor => ({
  name: `user:${principal.login}`,
  seesAllContexts: false,
  userId: principal.userId,
});

/** Sorts rows in the order of ids. @throws the error that `missing` creates for an id without row */
export function sortByIds<T extends { readonly id: number }>(
  ids: readonly number[],
  rows: readonly T[],
  missing: (id: number) => Error,
): T[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (!row) throw missing(id);
    return row;
  });
}
