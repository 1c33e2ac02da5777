import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';

/** Unique id, in `extra`, of the series that another one was split off: see `SeriesPart`. */
const WHOLE = `a.extra #>> '{icalendar,partOf,uid}'`;

/** A series that was split off another one. */
export interface Part {
  readonly id: number;
  readonly uid: string;
  /** Unique id of the other one. */
  readonly whole: string;
}

/** Series that were split off others by a change of an occurrence and all that follow. */
@Injectable()
export class PartRepository {
  /** Ids of what was split off a series in the calendars of a user. */
  async listIds(db: Reader, owner: number, uid: string): Promise<number[]> {
    const rows = await db.objects<{ id: number }>(
      `select a.id from appointment a
       where a.context_id = $1 and ${WHOLE} is not null and md5(${WHOLE}) = md5($3::text) and ${WHOLE} = $3
         and a.owner = $2 and not a.is_public and a.recurrence_local is null order by a.id`,
      owner,
      // Postgres takes no NUL, and no stored id has one.
      uid.replaceAll('\u0000', '\ufffd'),
    );
    return rows.map(({ id }) => id);
  }

  /** Series split off some series of a folder. They are few in a context, so the query goes by their own index. */
  listByFolder(db: Reader, folderId: number, uids: readonly string[]): Promise<Part[]> {
    return db.objects<Part>(
      `with part as materialized (
         select a.id, a.uid, a.folder_id, ${WHOLE} as whole from appointment a
         where a.context_id = $1 and ${WHOLE} is not null and a.recurrence_local is null
           and md5(${WHOLE}) = any(array(select md5(u.uid) from unnest($3::text[]) as u (uid))))
       select id, uid, whole from part where folder_id = $2 and whole = any($3::text[])`,
      folderId,
      uids,
    );
  }
}
