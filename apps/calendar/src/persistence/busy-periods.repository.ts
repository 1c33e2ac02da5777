import { Injectable } from '@nestjs/common';
import type { BusyPeriodsQuery } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { DAY_MS } from '../domain/local-days';
import type { Recurring } from '../domain/series';

/** One appointment of one entity, as far as its times matter. */
export interface BusyRow extends Recurring {
  readonly type: number;
  readonly entity: number;
  readonly id: number;
  readonly shownAs: number;
  readonly isSeries: boolean;
}

const COLUMNS = `t.type, t.entity, a.id, a.shown_as, a.is_series, a.start_ms, a.end_ms, a.time_zone, a.full_time, a.floating,
  a.rule, a.rdates, a.exdates, a.changes`;

/** The appointments behind busy times: one statement, whatever the number of entities. */
@Injectable()
export class BusyPeriodsRepository {
  /** Appointments that entities attend and have not declined, in or near the range; at most so many. */
  async rows(db: Reader, { entities, from, until, except }: BusyPeriodsQuery, limit: number): Promise<BusyRow[]> {
    const rows = await db.rows(
      `select ${COLUMNS} from unnest($2::smallint[], $3::int[]) as e (type, id)
       join attendee t on t.context_id = $1 and t.type in (1, 3) and t.type = e.type and t.entity = e.id
       join appointment a on a.context_id = $1 and a.id = t.appointment_id
       where not t.hidden and t.confirm <> 2 and t.range_end_ms >= $4 and t.start_ms <= $5
         and (t.type = 3 or a.classification < 2) and (a.is_series or a.end_ms >= $4)
         and ($6::int is null or a.id <> $6 and coalesce(a.series_id, 0) <> $6)
       limit $7`,
      entities.map(({ type }) => type),
      entities.map(({ id }) => id),
      // Floating times may be a day off on both sides.
      from - DAY_MS,
      until + DAY_MS,
      except ?? null,
      limit,
    );
    return (rows as BusyCells[]).map(
      ([
        type,
        entity,
        id,
        shownAs,
        isSeries,
        startMs,
        endMs,
        timeZone,
        fullTime,
        floating,
        rule,
        rdates,
        exdates,
        changes,
      ]) => ({
        type,
        entity,
        id,
        shownAs,
        isSeries,
        startMs,
        endMs,
        timeZone,
        fullTime,
        floating,
        rule,
        rdates,
        exdates,
        changes,
      }),
    );
  }
}

type BusyCells = [
  type: number,
  entity: number,
  id: number,
  shownAs: number,
  isSeries: boolean,
  startMs: number,
  endMs: number,
  timeZone: string,
  fullTime: boolean,
  floating: boolean,
  rule: string | null,
  rdates: number[] | null,
  exdates: number[] | null,
  changes: number[] | null,
];
