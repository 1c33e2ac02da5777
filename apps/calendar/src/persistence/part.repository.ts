import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';

/** Where `extra` names the series that another one was split off: see `SeriesPart`. */
const WHOLE = `a.extra #>> '{icalendar,partOf,uid}'`;

/** Series that were split off others by a change of an occurrence and all that follow. */
@Injectable()
export class PartRepository {
  /** Ids of what was split off a series in the calendars of a user. */
  async idsOf(db: Reader, owner: number, uid: string): Promise<number[]> {
    const rows = await db.objects<{ id: number }>(
      `select a.id from appointment a
       where a.context_id = $1 and ${WHOLE} is not null and md5(${WHOLE}) = md5($3::text) and ${WHOLE} = $3
         and a.owner = $2 and not a.is_public order by a.id`,
      owner,
      // Postgres takes no NUL, and no stored id has one.
      uid.replaceAll('\u0000', '\ufffd'),
    );
    return rows.map(({ id }) => id);
  }
}
