import { Injectable } from '@nestjs/common';
import { toStorableJson } from '@groupware/folders';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import type { Appointment, Attendee } from '../domain/appointment';
import { createOwnerAttendee } from '../domain/owner-attendee';
import type { Range } from '../domain/range';
import { createDefaultAlarms } from '../events/default-alarms';
import { withAttendeeRest } from '../domain/attendee-rest';
import type { StoredDefaultAlarms } from './feed.repository';

/** A question about the events of a feed. */
export interface FeedQuestion {
  readonly range?: Omit<Range, 'mode'>;
  readonly maxRows: number;
  /** Only what changed after a stamp. */
  readonly since?: number;
}

interface Row {
  readonly content: Appointment;
  /** Alarms that the user set, or had a look at. */
  readonly own: Pick<Attendee, 'extra'> | null;
  /** Alarms of all events of the calendar for which he set none. */
  readonly defaults: StoredDefaultAlarms | null;
  readonly lastModified: number;
}

/** An event of a calendar of the web whose alarms are to be looked at, locked. */
export interface AlarmedFeedEvent {
  readonly contextId: number;
  readonly folderId: number;
  readonly id: number;
  readonly userId: number;
  /** The user was told of all alarms until then, ms UTC. */
  readonly toldMs: number;
  /** Of an event without zone, the last alarm that was told on the clock of the user (ms as if UTC); null when none was. */
  readonly toldClockMs: number | null;
  /** A number among those of reminders. */
  readonly reminderId: number;
  readonly event: Appointment;
}

const DEFAULTS =
  '(select f.default_alarms from feed f where f.context_id = e.context_id and f.folder_id = e.folder_id)';
const ROW = `e.content, e.own, case when e.own is null then ${DEFAULTS} end as defaults, e.last_modified as "lastModified"`;

/** Events of calendars of the web: appointments of their user, who alone takes part in them. */
@Injectable()
export class FeedEventRepository {
  /** Events of a folder in no particular order; series whose span touches the range are among them. */
  async listEvents(db: Reader, folderId: number, { range, maxRows, since }: FeedQuestion): Promise<Appointment[]> {
    const rows = await db.objects<Row>(
      `select ${ROW} from feed_event e where e.context_id = $1 and e.folder_id = $2
         and ($3::bigint is null or case when e.floating then e.range_end_ms >= $5::bigint and e.start_ms < $6::bigint
           else e.range_end_ms >= $3::bigint and e.start_ms < $4::bigint end)
         and e.last_modified > $7::bigint
       order by e.id limit $8`,
      folderId,
      range?.fromMs ?? null,
      range?.toMs ?? null,
      range?.localFromMs ?? null,
      range?.localToMs ?? null,
      since ?? -1,
      maxRows,
    );
    return rows.map(toAppointment);
  }

  /** Events by id, wherever a user has them. */
  async listByIds(db: Reader, folders: readonly number[], ids: readonly number[]): Promise<Appointment[]> {
    const rows = await db.objects<Row>(
      `select ${ROW} from feed_event e
       where e.context_id = $1 and e.folder_id = any($2::int[]) and e.id = any($3::int[])`,
      folders,
      ids,
    );
    return rows.map(toAppointment);
  }

  /** The exceptions of series. */
  async listExceptions(db: Reader, folders: readonly number[], series: readonly number[]): Promise<Appointment[]> {
    const rows = await db.objects<Row>(
      `select ${ROW} from feed_event e
       where e.context_id = $1 and e.folder_id = any($2::int[]) and e.series_id = any($3::int[]) and e.id <> e.series_id`,
      folders,
      series,
    );
    return rows.map(toAppointment);
  }

  /** Events with unique ids of a file, exceptions included, without alarms of the user. */
  async listByUids(tx: Transaction, folderId: number, uids: readonly string[]): Promise<Appointment[]> {
    const rows = await tx.objects<Row>(
      `select e.content, null as own, null as defaults, (e.content->>'lastModified')::bigint as "lastModified" from feed_event e
       where e.context_id = $1 and e.folder_id = $2 and md5(e.uid) in (select md5(x) from unnest($3::text[]) as u (x))
         and e.uid = any($3::text[])`,
      folderId,
      uids,
    );
    return rows.map((row) => {
      const { isExternal: _external, ...event } = toAppointment(row);
      return event;
    });
  }

  /** Stores events, new ones and changed ones; the alarms of the user stay. */
  async store(tx: Transaction, folderId: number, events: readonly Appointment[]): Promise<void> {
    if (events.length === 0) return;
    await tx.run(
      `insert into feed_event as e (context_id, folder_id, id, uid, series_id, start_ms, range_end_ms, floating, last_modified, content,
         alarm_due_ms, alarm_told_ms)
       select $1, $2, x.id, x.uid, x."seriesId", x."startMs", x."rangeEndMs", x.floating, x."lastModified", x.content,
         case when d.alarms then 0 end, case when d.alarms then x."lastModified" end
       from (select exists (select from feed f
           where f.context_id = $1 and f.folder_id = $2 and f.default_alarms is not null)) as d (alarms),
         jsonb_to_recordset($3::jsonb) as x (id int, uid text, "seriesId" int, "startMs" bigint, "rangeEndMs" bigint,
           floating boolean, "lastModified" bigint, content jsonb)
       on conflict (context_id, folder_id, id) do update set series_id = excluded.series_id, start_ms = excluded.start_ms,
         range_end_ms = excluded.range_end_ms, floating = excluded.floating,
         last_modified = greatest(e.last_modified, excluded.last_modified), content = excluded.content,
         alarm_due_ms = case when e.own is null then excluded.alarm_due_ms else 0 end`,
      folderId,
      toStorableJson(
        events.map(({ attendees: _attendees, ...content }) => ({
          id: content.id,
          uid: content.uid,
          seriesId: content.seriesId,
          startMs: content.startMs,
          rangeEndMs: content.rangeEndMs,
          floating: content.floating,
          lastModified: content.lastModified,
          content,
        })),
      ),
    );
  }

  /** Stores the alarms of the user in an event, none too. Times until now that are not due yet do not count for them. */
  async storeOwn(
    tx: Transaction,
    event: Appointment,
    own: Pick<Attendee, 'extra'> | null,
    { stamp, now }: { readonly stamp: number; readonly now: number },
  ): Promise<void> {
    await tx.run(
      `update feed_event e set own = coalesce($4::jsonb, case when ${DEFAULTS} is not null then '{"extra": null}'::jsonb end),
         last_modified = $5,
         alarm_told_ms = case when alarm_due_ms <= $6::bigint then alarm_told_ms else $6::bigint end,
         alarm_due_ms = case when $4::jsonb is null then null else 0 end
       where context_id = $1 and folder_id = $2 and id = $3`,
      event.folderId,
      event.id,
      own && toStorableJson(own),
      stamp,
      now,
    );
  }

  /** Lets other default alarms of a calendar count for the events for which the user set none. */
  async applyDefaultAlarms(
    tx: Transaction,
    folderId: number,
    { stamp, now, hasAlarms }: { readonly stamp: number; readonly now: number; readonly hasAlarms: boolean },
  ): Promise<void> {
    await tx.run(
      `update feed_event set last_modified = $3, alarm_told_ms = $4, alarm_due_ms = case when $5::boolean then 0 end
       where context_id = $1 and folder_id = $2 and own is null`,
      folderId,
      stamp,
      now,
      hasAlarms,
    );
  }

  /** Some of the events that are not among those that a file has. */
  async listOthers(tx: Transaction, folderId: number, ids: readonly number[], limit: number): Promise<Appointment[]> {
    const rows = await tx.objects<Row>(
      `select ${ROW} from feed_event e where e.context_id = $1 and e.folder_id = $2
         and not exists (select from unnest($3::int[]) as u (id) where u.id = e.id) limit $4`,
      folderId,
      ids,
      limit,
    );
    return rows.map(toAppointment);
  }

  async remove(tx: Transaction, folderId: number, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.run(
      'delete from feed_event where context_id = $1 and folder_id = $2 and id = any($3::int[])',
      folderId,
      ids,
    );
  }

  /** Events with alarms of a user, that are not over since a time, with until when he was told of them; at most so many. */
  async listWithAlarms(
    db: Reader,
    userId: number,
    sinceMs: number,
    limit: number,
  ): Promise<{ readonly event: Appointment; readonly toldMs: number }[]> {
    const rows = await db.objects<Row & { readonly toldMs: number | null }>(
      `select ${ROW}, e.alarm_told_ms as "toldMs" from (
         select e.* from feed f join feed_event e on e.context_id = f.context_id and e.folder_id = f.folder_id
         where f.context_id = $1 and f.user_id = $2 and e.context_id = $1 and e.own is not null and e.range_end_ms >= $3
         union all
         select e.* from feed f join feed_event e on e.context_id = f.context_id and e.folder_id = f.folder_id
         where f.context_id = $1 and f.user_id = $2 and f.default_alarms is not null and e.context_id = $1 and e.own is null
           and e.range_end_ms >= $3) e
       order by e.start_ms, e.id limit $4`,
      userId,
      sinceMs,
      limit,
    );
    return rows.map((row) => ({ event: toAppointment(row), toldMs: row.toldMs ?? 0 }));
  }

  /** Lets alarms that depend on the clock of a user be looked at again. */
  async recalculateFloating(tx: Transaction, userId: number): Promise<void> {
    await tx.run(
      `update feed_event set alarm_due_ms = 0
       where context_id = $1 and folder_id in (select f.folder_id from feed f where f.context_id = $1 and f.user_id = $2)
         and floating and alarm_due_ms is not null`,
      userId,
    );
  }

  /** Users of events without zone whose alarms are to be looked at: their zones decide. Nothing is locked. */
  listFloatingUsers(
    db: AdministrationTransaction,
    nowMs: number,
    limit: number,
  ): Promise<{ contextId: number; userId: number }[]> {
    return db.objects(
      `select distinct f.context_id as "contextId", f.user_id as "userId" from (
         select context_id, folder_id, floating from feed_event where alarm_due_ms <= $1 order by alarm_due_ms limit $2) e
       join feed f on f.context_id = e.context_id and f.folder_id = e.folder_id where e.floating`,
      nowMs,
      limit,
    );
  }

  /** Takes events whose alarms are to be looked at, of any context, and that no other process holds. */
  async claimAlarms(db: AdministrationTransaction, nowMs: number, limit: number): Promise<AlarmedFeedEvent[]> {
    const rows = await db.objects<Row & Omit<AlarmedFeedEvent, 'event'>>(
      `with e as materialized (
         select * from feed_event where alarm_due_ms <= $1 order by alarm_due_ms, context_id, folder_id, id limit $2
         for update skip locked)
       select ${ROW}, e.context_id as "contextId", e.folder_id as "folderId", e.id, f.user_id as "userId",
         coalesce(e.alarm_told_ms, $1) as "toldMs", e.alarm_told_clock_ms as "toldClockMs", nextval('reminder_id_seq') as "reminderId"
       from e join feed f on f.context_id = e.context_id and f.folder_id = e.folder_id
       order by e.alarm_due_ms, e.context_id, e.folder_id, e.id`,
      nowMs,
      limit,
    );
    return rows.map(({ content, own, defaults, lastModified, ...row }) => ({
      ...row,
      event: toAppointment({ content, own, defaults, lastModified }),
    }));
  }

  /** Notes until when users were told of alarms and when to look again, of any context. */
  async updateAlarms(
    db: AdministrationTransaction,
    events: readonly (Pick<AlarmedFeedEvent, 'contextId' | 'folderId' | 'id' | 'toldMs' | 'toldClockMs'> & {
      readonly dueMs: number | null;
    })[],
  ): Promise<void> {
    if (events.length === 0) return;
    await db.run(
      `update feed_event e set alarm_told_ms = x."toldMs", alarm_told_clock_ms = x."toldClockMs", alarm_due_ms = x."dueMs"
       from json_to_recordset($1) as x ("contextId" int, "folderId" int, id int, "toldMs" bigint, "toldClockMs" bigint,
         "dueMs" bigint)
       where e.context_id = x."contextId" and e.folder_id = x."folderId" and e.id = x.id`,
      JSON.stringify(
        events.map(({ contextId, folderId, id, toldMs, toldClockMs, dueMs }) => ({
          ...{ contextId, folderId, id, toldMs, toldClockMs, dueMs },
        })),
      ),
    );
  }

  /** When alarms are to be looked at next, ms UTC; undefined when there are none. */
  async findNextAlarm(db: AdministrationTransaction): Promise<number | undefined> {
    const row = await db.first<{ due: number | null }>(
      'select min(alarm_due_ms) as due from feed_event where alarm_due_ms is not null',
    );
    return row?.due ?? undefined;
  }
}

function toAppointment({ content, own, defaults, lastModified }: Row): Appointment {
  const attendee = createOwnerAttendee(content.owner, { extra: own?.extra ?? null });
  const alarms = defaults && createDefaultAlarms(content, defaults, Math.max(defaults.sinceMs, content.created));
  return {
    ...content,
    lastModified,
    attendees: [alarms ? withAttendeeRest(attendee, { alarms }) : attendee],
    isExternal: true,
  };
}
