import { Injectable } from '@nestjs/common';
import type { StoredFolderType } from '@groupware/contracts';
import type { FolderUser } from '../stored-folder';
import { grantedRights } from './effective-rights.sql';
import type { Reader } from '@groupware/persistence';

/** A folder with the bits that its permissions grant to a user. */
export interface GrantedRights {
  readonly id: number;
  readonly type: StoredFolderType;
  readonly kind: number;
  readonly createdBy: number;
  readonly granted: number;
}

/** Reads what users may do in folders. */
@Injectable()
export class FolderRightsRepository {
  /** All folders of a user, and those in which he has any right. */
  listGranted(db: Reader, { userId, groups }: FolderUser): Promise<GrantedRights[]> {
    return db.objects<GrantedRights>(
      `select f.id, f.type, f.kind, f.created_by as "createdBy",
         ${grantedRights({ folder: 'f', user: '$2', groups: '$3::int[]' })} as granted
       from folder f where f.context_id = $1 and f.id in (
         select id from folder where context_id = $1 and created_by = $2 and type = 1
         union
         select folder_id from folder_permission
         where context_id = $1 and bits & 127 > 0 and (is_group and entity = any($3::int[]) or not is_group and entity = $2))`,
      userId,
      groups,
    );
  }
}
