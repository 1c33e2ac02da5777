import { Injectable } from '@nestjs/common';
import type { BusyPeriodsQuery } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import type { RdatePeriod } from '@groupware/recurrence';
import { DAY_MS } from '../domain/local-days';
import { ICALENDAR_EXTRA } from '../domain/icalendar-extra';
import { RDATE_PERIODS, SKIPPED_START } from './appointment.columns';
import { isKeptBusy } from './transparent-calendars';

/**
 * One appointment of one entity, as far as its times matter; a list, for there are thousands of them. From `timeZone` on null
 * for single appointments, whose times say all.
 */
export type BusyRow = [
  /** Place in the list of entities, from 1. */
  entity: number,
  id: number,
  shownAs: number,
  startMs: number,
  endMs: number,
  floating: boolean,
  timeZone: string | null,
  fullTime: boolean | null,
  rule: string | null,
  rdates: number[] | null,
  exdates: number[] | null,
  changes: number[] | null,
  rdatePeriods: RdatePeriod[] | null,
  skippedStart: number | null,
];

const STATUS = `a.extra -> '${ICALENDAR_EXTRA}' ->> 'status'`;
/** How an event is shown: what is tentative, or whose attendee may come, is temporary. */
const EVENT_TYPE = `case when a.shown_as = 1 and (t.confirm = 3 or ${STATUS} = 'TENTATIVE') then 2
  else a.shown_as end`;
/** How an appointment is shown: what is tentative is temporary, and what was called off takes no time. */
const APPOINTMENT_TYPE = `case when a.shown_as <> 1 then a.shown_as
  else case ${STATUS} when 'TENTATIVE' then 2 when 'CANCELLED' then 4 else 1 end end`;

/** The appointments behind busy times: one statement, whatever the number of entities. */
@Injectable()
export class BusyPeriodsRepository {
  /** Appointments that entities attend and have not declined, in or near the range; at most so many. */
  async listBusyRows(
    db: Reader,
    { entities, from, until, except, ofEvents = false }: BusyPeriodsQuery,
    limit: number,
  ): Promise<BusyRow[]> {
    return (await db.rows(
      `select e.n, a.id, ${ofEvents ? EVENT_TYPE : APPOINTMENT_TYPE}, a.start_ms, a.end_ms, a.floating, case when a.is_series then a.time_zone end,
         case when a.is_series then a.full_time end, a.rule, a.rdates, a.exdates, a.changes,
         ${RDATE_PERIODS}, ${SKIPPED_START}
       from unnest($2::smallint[], $3::int[]) with ordinality as e (type, id, n)
       join attendee t on t.context_id = $1 and t.type in (1, 3) and t.type = e.type and t.entity = e.id
       join appointment a on a.context_id = $1 and a.id = t.appointment_id
       where not t.hidden and t.confirm <> 2 and t.range_end_ms >= $4 and t.start_ms <= $5
         and (t.type = 3 or a.classification < 2) and ${isKeptBusy('t')} and (a.is_series or a.end_ms >= $4)
         ${ofEvents ? 'and a.shown_as <> 4' : ''}
         and ($6::int is null or a.id <> $6 and coalesce(a.series_id, 0) <> $6)
       limit $7`,
      entities.map(({ type }) => type),
      entities.map(({ id }) => id),
      // Floating times may be a day off on both sides.
      from - DAY_MS,
      until + DAY_MS,
      except ?? null,
      limit,
    )) as BusyRow[];
  }
}
