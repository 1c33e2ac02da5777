import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';

/** Tombstones of users, groups and resources, for synchronising clients. */
@Injectable()
export class TombstoneRepository {
  /** Lists ids deleted after a stamp, with their stamps. */
  listDeletedAfter(
    db: Reader,
    kind: 'user' | 'group' | 'resource',
    stamp: number,
  ): Promise<{ id: number; deletedAt: number }[]> {
    return db.objects(
      `select entity_id as id, deleted_at as "deletedAt" from tombstone
       where context_id = $1 and kind = $2 and deleted_at > $3::numeric order by deleted_at, entity_id limit 10000`,
      kind,
      stamp,
    );
  }
}
