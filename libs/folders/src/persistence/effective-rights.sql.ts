import { ALL_RIGHTS } from '../domain/rights';

/** SQL condition: a folder is private data of a user. Public folders of a kind are personal. */
export const ownsFolder = ({ folder, user }: Pick<EffectiveRightsSql, 'folder' | 'user'>): string =>
  `(${folder}.type = 1 or ${folder}.kind <> 0) and ${folder}.created_by = ${user}`;

/** SQL texts of what the effective rights depend on; only texts written in source code. */
export interface EffectiveRightsSql {
  /** Alias of the folder table. */
  readonly folder: string;
  /** The user id. */
  readonly user: string;
  /** The ids of the user's groups, `int[]`. */
  readonly groups: string;
}

/**
 * SQL expression for the permission bits granted to a user on a folder: the highest rank of each group over all his
 * entries, everything for the owner of a private or personal folder. What the user may do at all is applied by `effectiveRights`.
 */
export const grantedRights = ({ folder, user, groups }: EffectiveRightsSql): string => `(case
  when ${ownsFolder({ folder, user })} then ${ALL_RIGHTS}
  else coalesce((
    select max(p.bits & 127) | max(p.bits & 16256) | max(p.bits & 2080768) | max(p.bits & 266338304) | max(p.bits & 268435456)
    from folder_permission p
    where p.context_id = ${folder}.context_id and p.folder_id = ${folder}.id
      and (case when p.is_group then p.entity = any(${groups}) else p.entity = ${user} end)
  ), 0) end)`;
