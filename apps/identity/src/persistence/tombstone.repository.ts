import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';

/** What is left of deleted users, groups and resources, for clients that synchronise. */
@Injectable()
export class TombstoneRepository {
  /** Ids of what was deleted after a stamp, with the stamps. */
  deletedAfter(
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
