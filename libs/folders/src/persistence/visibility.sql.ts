import { ownsFolder } from './effective-rights.sql';

/** SQL texts of what visibility depends on; only texts written in source code. */
export interface VisibilitySql {
  /** Alias of the folder table. */
  readonly folder: string;
  /** The user id. */
  readonly user: string;
  /** The ids of the user's groups, `int[]`. */
  readonly groups: string;
  /** Whether the user may see private folders of others at all. */
  readonly shares: string;
}

/**
 * SQL condition: the user sees at least the name of a folder, as `isVisible` says. Each entry of the user is looked up by
 * key: lists of permissions may be long.
 */
export const seesFolder = ({ folder, user, groups, shares }: VisibilitySql): string => `(
  (${ownsFolder({ folder, user })})
  or ((${folder}.type = 2 or ${shares}) and (
    exists (select from folder_permission p where p.context_id = ${folder}.context_id and p.folder_id = ${folder}.id
      and not p.is_group and p.entity = ${user} and p.bits & 127 > 0)
    or exists (select from folder_permission p where p.context_id = ${folder}.context_id and p.folder_id = ${folder}.id
      and p.is_group and p.entity = any(${groups}) and p.bits & 127 > 0))))`;
