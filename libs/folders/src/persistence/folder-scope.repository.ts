import { Injectable } from '@nestjs/common';
import { LOWEST_FOLDER_ID, SYSTEM_FOLDERS, type FolderModule, type OwnedFolderListing } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { SHARE_FOLDERS } from '../domain/rights';
import type { FolderUser, ScopedFolder } from '../stored-folder';
import { grantedRights } from './effective-rights.sql';
import { FOLDER_FIELDS } from './folder.repository';
import { seesFolder } from './visibility.sql';

/** The virtual folders with public folders of a module whose parents are invisible. */
const ORPHANS: Readonly<Partial<Record<FolderModule, number>>> = {
  tasks: SYSTEM_FOLDERS.orphanedTasks,
  calendar: SYSTEM_FOLDERS.orphanedCalendars,
  contacts: SYSTEM_FOLDERS.orphanedContacts,
  infostore: SYSTEM_FOLDERS.orphanedInfostore,
};

/** Parameters of all scopes: $2 user, $3 groups, $4 whether he sees shared folders, $5 what the scope is about. */
const sees = (folder: string): string => seesFolder({ folder, user: '$2', groups: '$3::int[]', shares: '$4::boolean' });
const GRANTED = grantedRights({ folder: 'f', user: '$2', groups: '$3::int[]' });

/** The bit of administrators. */
const ADMIN = 2 ** 28;

/** The parent of folder `x` belongs to another module. The text is that of the index `folder_below_others`. */
const hasForeignParent = (x: string): string => `${x}.parent >= 20 and ${x}.parent % 16 <> ${x}.id % 16`;
/** The parent of folder `x` is one of the module that the user does not see. */
const hasHiddenParent = (x: string): string => `${x}.parent >= ${LOWEST_FOLDER_ID} and not (${hasForeignParent(x)})
  and not exists (select from folder a where a.context_id = ${x}.context_id and a.id = ${x}.parent and ${sees('a')})`;
/** Ids of folders on which the user has an entry, or a group of his. */
const ENTRIES = `select folder_id from folder_permission where context_id = $1 and bits & 127 > 0
  and (is_group and entity = any($3::int[]) or not is_group and entity = $2)`;
/** Public folders, and private ones of others that the user sees, as `s`. */
const SEEN_PUBLIC = `folder s where s.context_id = $1 and s.type = 2 and ${sees('s')}`;
/** In private folders only the owner is administrator: his own entries are left out before their folders are read. */
const SEEN_SHARED = `folder_permission e join folder s on s.context_id = e.context_id and s.id = e.folder_id
  where e.context_id = $1 and e.bits & 127 > 0 and e.bits < ${ADMIN}
    and (e.is_group and e.entity = any($3::int[]) or not e.is_group and e.entity = $2)
    and s.type = 1 and s.created_by <> $2 and $4::boolean`;
const SUBSCRIBED = `not exists (select from folder_unsubscribed n where n.context_id = s.context_id
  and n.user_id = $2 and n.folder_id = s.id and not n.subscribed)`;
/** One subscribed folder and any one: whether there are some, and whether one of them is subscribed. */
const oneOf = (folders: string): string =>
  `(select s.id from ${folders} and ${SUBSCRIBED} limit 1) union (select s.id from ${folders} limit 1)`;
/** A public folder of which the user does not see the parent. */
const ANY_ORPHAN = `(select s.id from (select distinct parent as id from folder where context_id = $1 and type = 2 and parent >= ${LOWEST_FOLDER_ID}) as q
  join folder s on s.context_id = $1 and s.parent = q.id and s.type = 2 and ${sees('s')} and ${hasHiddenParent('s')}
  where not exists (select from folder a where a.context_id = $1 and a.id = q.id and ${sees('a')}) limit 1)`;
/** Public folders of which the user does not see the parent; those that he sees are the ones with entries of his. */
const ORPHANED = `select s.id from folder s where s.context_id = $1 and s.type = 2 and s.id in (${ENTRIES})
  and $5::int is not null and ${hasHiddenParent('s')}`;
/** One shared folder of each owner, a subscribed one if there is any. */
const SHARING_OWNERS = `(select distinct on (s.created_by) s.id from ${SEEN_SHARED} order by s.created_by, not (${SUBSCRIBED}))`;

/** Ids of the folders of a scope, before visibility; all read $5. */
const SCOPES = {
  all: `select id from folder where context_id = $1 and created_by = $2 and type = 1 and $5::int is null union ${ENTRIES}`,
  ids: 'select unnest($5::int[])',
  below: `select id from folder where context_id = $1 and parent = $5::int union select $5::int`,
  private: `select id from folder where context_id = $1 and parent = $5::int and name_scope = $2`,
  public: `select id from folder where context_id = $1 and parent = $5::int union ${ANY_ORPHAN}`,
  owners: `select id from ${SHARING_OWNERS} as o where $5::int is not null`,
  ofOwner: `select s.id from ${SEEN_SHARED} and s.created_by = $5::int and (s.parent = 1 or ${hasHiddenParent('s')})`,
  flatShared: `select s.id from ${SEEN_SHARED} and $5::int is not null and (s.parent = 1 or ${hasHiddenParent('s')})`,
  flatPublic: `select id from folder where context_id = $1 and parent = $5::int
    union select s.id from ${SEEN_PUBLIC} and ${hasHiddenParent('s')}`,
  orphans: ORPHANED,
  files: `(${ORPHANED} limit 1)
    union select id from folder where context_id = $1 and created_by = $2 and is_default`,
  root: `${oneOf('folder s where s.context_id = $1 and s.parent = 1 and s.name_scope = $2 and $5::int is not null')}
    union ${oneOf(SEEN_PUBLIC)} union ${oneOf(SEEN_SHARED)} union ${ANY_ORPHAN}`,
  flatRoot: `${oneOf('folder s where s.context_id = $1 and s.parent = 1 and s.name_scope = $2 and $5::int is not null')}
    union ${oneOf(SEEN_PUBLIC)} union ${oneOf(SEEN_SHARED)}`,
  paths: `with recursive up (id, parent) as (
      select a.id, a.parent from folder a where a.context_id = $1 and a.id = any($5::int[]) and ${sees('a')}
      union
      select a.id, a.parent from up join folder a on a.context_id = $1 and a.id = up.parent and ${sees('a')})
    select id from up`,
  shared: `select s.id from folder s where s.context_id = $1 and s.created_by = $2 and $5::int is not null
    and exists (select from folder_permission o where o.context_id = s.context_id and o.folder_id = s.id
      and (o.is_group or o.entity <> $2))`,
  changed: `with moved (id) as (
      select id from folder where context_id = $1 and changed > $5::bigint
      union select folder_id from folder_loss where context_id = $1 and stamp > $5::bigint
        and (is_group and entity = any($3::int[]) or not is_group and entity = $2))
    select id from folder where context_id = $1 and changed > $5::bigint
    union select folder_id from folder_unsubscribed where context_id = $1 and user_id = $2 and stamp > $5::bigint
    union select b.id from moved join folder b on b.context_id = $1 and b.parent = moved.id
    union select parent from folder where context_id = $1 and changed > $5::bigint and created > $5::bigint`,
} as const;

/** Stamp of a folder by itself, for its user, and by its parent, whose coming and going moves it. */
const CHANGED = 'greatest(f.changed, u.stamp)';
const MOVED = `greatest(f.changed, u.stamp,
  (select a.changed from folder a where a.context_id = f.context_id and a.id = f.parent and ${sees('a')}),
  (select max(l.stamp) from folder_loss l where l.context_id = f.context_id and l.folder_id = f.parent
     and (l.is_group and l.entity = any($3::int[]) or not l.is_group and l.entity = $2)))`;

type Scope = keyof typeof SCOPES;

/** Folders below `f` that the user sees, all of them or the subscribed ones. */
const hasBelow = (subscribed: boolean): string => `exists (select from folder c
  ${subscribed ? 'left join folder_unsubscribed n on n.context_id = c.context_id and n.user_id = $2 and n.folder_id = c.id' : ''}
  where c.context_id = f.context_id and c.parent = f.id and ${sees('c')} ${subscribed ? 'and coalesce(n.subscribed, true)' : ''})`;

const statementOf = (scope: Scope): string => `
  select ${FOLDER_FIELDS}, ${GRANTED} as granted, coalesce(u.subscribed, true) as subscribed,
    ${scope === 'changed' ? MOVED : CHANGED} as changed, coalesce(u.used_for_sync, true) as "usedForSync",
    u.properties as "ownProperties", ${
      scope === 'all'
        ? 'null as "isBelowVisible", null as "hasSubfolders", null as "hasSubscribedSubfolders"'
        : `f.parent >= ${LOWEST_FOLDER_ID} and not (${hasHiddenParent('f')}) as "isBelowVisible",
           ${hasBelow(false)} as "hasSubfolders", ${hasBelow(true)} as "hasSubscribedSubfolders"`
    }
  from folder f left join folder_unsubscribed u
    on u.context_id = f.context_id and u.user_id = $2 and u.folder_id = f.id
  where f.context_id = $1 and ${sees('f')} and f.id in (
    select id from (${SCOPES[scope]}) as wanted (id)
    union select x.id from folder x where x.context_id = $1 and ${hasForeignParent('x')})`;

const STATEMENTS = Object.fromEntries(
  (Object.keys(SCOPES) as Scope[]).map((scope) => [scope, statementOf(scope)]),
) as Record<Scope, string>;

/** A folder with some below it. */
export interface FolderParent {
  readonly id: number;
  /** It is about the default folder of the user, else about all others. */
  readonly isOfDefault: boolean;
  /** One of them is subscribed. */
  readonly hasSubscribed: boolean;
}

/**
 * Reads parts of the tree of one user, each with one statement: the folders of the part, what the tree must know of their
 * place, and all folders below those of other modules (few), whose place only the folders service can tell.
 */
@Injectable()
export class FolderScopes {
  /** Lists the folders of a part of the tree that the user sees, in no particular order. */
  listVisible(
    db: Reader,
    user: FolderUser,
    module: FolderModule,
    listing: OwnedFolderListing,
  ): Promise<ScopedFolder[]> {
    const [scope, argument] = toScope(module, listing);
    return db.objects<ScopedFolder>(
      STATEMENTS[scope],
      user.userId,
      user.groups,
      user.capabilities.includes(SHARE_FOLDERS),
      argument,
    );
  }

  /** Which of some folders, of whatever module, have folders of this one below them that the user sees. */
  listParents(db: Reader, user: FolderUser, ids: readonly number[]): Promise<FolderParent[]> {
    return db.objects<FolderParent>(
      `select c.parent as id, c.is_default and c.created_by = $2 as "isOfDefault",
         bool_or(coalesce(n.subscribed, true)) as "hasSubscribed" from folder c
       left join folder_unsubscribed n on n.context_id = c.context_id and n.user_id = $2 and n.folder_id = c.id
       where c.context_id = $1 and c.parent = any($5::int[]) and ${sees('c')} group by 1, 2`,
      user.userId,
      user.groups,
      user.capabilities.includes(SHARE_FOLDERS),
      ids,
    );
  }
}

/** The scope of a listing with its argument; parts of the tree that the module has nothing in are no folders. */
function toScope(
  module: FolderModule,
  { below, flat, paths, ids, since, shared }: OwnedFolderListing,
): [Scope, unknown] {
  if (ids) return ['ids', ids.map(Number).filter(Number.isInteger)];
  if (paths) return ['paths', paths.map(Number).filter(Number.isInteger)];
  if (since !== undefined) return ['changed', since];
  if (shared) return ['shared', 0];
  if (below === undefined) return ['all', null];
  const owner = /^u:(\d{1,9})$/.exec(String(below));
  if (owner) return ['ofOwner', Number(owner[1])];
  if (!/^\d{1,9}$/.test(String(below))) return ['ids', []];
  const parent = Number(below);
  // Files have a branch of their own: nothing of theirs is below the public folders.
  const isFile = module === 'infostore';
  if (isFile && parent === SYSTEM_FOLDERS.infostore) return ['files', parent];
  if (isFile && parent === SYSTEM_FOLDERS.public) return ['below', parent];
  if (parent === SYSTEM_FOLDERS.root) return [flat || isFile ? 'flatRoot' : 'root', 0];
  if (parent === SYSTEM_FOLDERS.private) return ['private', parent];
  if (parent === SYSTEM_FOLDERS.public) return [flat ? 'flatPublic' : 'public', parent];
  if (parent === SYSTEM_FOLDERS.shared) return [flat ? 'flatShared' : 'owners', 0];
  if (parent === ORPHANS[module]) return ['orphans', 0];
  return ['below', parent];
}
