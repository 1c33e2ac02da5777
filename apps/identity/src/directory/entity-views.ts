import type { GroupData, ResourceData, UserPrincipal } from '@groupware/contracts';
import type { GroupRow } from '../persistence/group.repository';
import type { ResourceRow } from '../persistence/resource.repository';
import type { Actor } from '../provisioning/actor';

/** A group as clients see it. */
export const groupData = (row: GroupRow): GroupData => ({
  id: row.id,
  name: row.name,
  display_name: row.displayName,
  members: row.members,
  last_modified_utc: row.changedAt,
});

/** A resource as clients see it. */
export const resourceData = (row: ResourceRow): ResourceData => ({
  id: row.id,
  name: row.name,
  display_name: row.displayName,
  mailaddress: row.email,
  availability: row.available,
  ...(row.description === null ? {} : { description: row.description }),
  last_modified: row.changedAt,
  last_modified_utc: row.changedAt,
});

/** Stamp of the newest of some rows, for the answer's timestamp. */
export const newestOf = (rows: readonly { readonly changedAt?: number }[], floor = 0): number =>
  rows.reduce((newest, row) => Math.max(newest, row.changedAt ?? 0), floor);

/** Refuses to empty what every object has. @throws what `missing` makes of the first such field */
export function expectPresent<T extends object>(
  body: T,
  fields: readonly (keyof T & string)[],
  missing: (field: string) => Error,
): void {
  const removed = fields.find((field) => body[field] === null || body[field] === '');
  if (removed !== undefined) throw missing(removed);
}

/** A user who changes groups or resources. */
export const userActor = (principal: UserPrincipal): Actor => ({
  name: `user:${principal.login}`,
  seesAllContexts: false,
  userId: principal.userId,
});

/** The rows in the order of the ids. @throws what `missing` makes for an id without row */
export function inOrder<T extends { readonly id: number }>(
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
