import { Injectable } from '@nestjs/common';
import { pipeline, type Reader, type Transaction } from '@groupware/persistence';
import type { FolderRights, FolderUser, GrantedRights } from '../stored-folder';
import { grantedRights } from './effective-rights.sql';
import { FolderRepository } from './folder.repository';

const GRANTED = `f.id, f.type, f.kind, f.created_by as "createdBy",
  ${grantedRights({ folder: 'f', user: '$2', groups: '$3::int[]' })} as granted`;

/** Reads what users may do in folders. */
@Injectable()
export class FolderRightsRepository {
  constructor(private readonly folders: FolderRepository) {}

  /** Finds a folder with what it grants to a user, who may have no right in it; undefined when there is none. */
  async findRights(db: Reader, user: FolderUser, id: number): Promise<FolderRights | undefined> {
    return (await this.listByIds(db, user, [id]))[0];
  }

  /** The same for many; unknown ones are left out. */
  listByIds(db: Reader, { userId, groups }: FolderUser, ids: readonly number[]): Promise<FolderRights[]> {
    return db.objects<FolderRights>(
      `select ${GRANTED}, f.title from folder f where f.context_id = $1 and f.id = any($4::int[])`,
      userId,
      groups,
      ids,
    );
  }

  /** The same for a write: neither the folders nor their permissions change until the transaction ends. */
  async lockByIds(tx: Transaction, user: FolderUser, ids: readonly number[]): Promise<FolderRights[]> {
    const [, found] = await pipeline(this.folders.lockMany(tx, ids, 'share'), this.listByIds(tx, user, ids));
    return found;
  }

  /** All folders of a user, and those in which he has any right. */
  listGranted(db: Reader, { userId, groups }: FolderUser): Promise<GrantedRights[]> {
    return db.objects<GrantedRights>(
      `select ${GRANTED} from folder f where f.context_id = $1 and f.id in (
         select id from folder where context_id = $1 and created_by = $2 and type = 1
         union
         select folder_id from folder_permission
         where context_id = $1 and bits & 127 > 0 and (is_group and entity = any($3::int[]) or not is_group and entity = $2))`,
      userId,
      groups,
    );
  }
}
