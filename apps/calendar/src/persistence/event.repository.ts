import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';
import { type Appointment, type Attendee, PARTICIPANT } from '../domain/appointment';
import type { Range } from '../domain/range';
import { eventDeletionStatement, eventStatement, SEEN_EVENT, type ViewShape, viewValues } from './view.query';
import type { ViewUser } from './view.repository';

/** An event where a user sees it. */
export interface SeenEvent extends Appointment {
  readonly shownFolder: number;
  /** The user whose alarms and answer are shown. */
  readonly calendarUser: number;
  /** Others see times only. */
  readonly anonymous: boolean;
  /** The clock of the series of an exception. */
  readonly clock: Pick<Appointment, 'fullTime' | 'floating' | 'timeZone'> | null;
  /** Original starts of the exceptions of a series that the calendar user does not see. */
  readonly hiddenChanges: readonly number[] | null;
  /**
   * Of brief events, whose attendees are the calendar user at most: whether others than the owner are among the attendees; null
   * without any attendee.
   */
  readonly hasOthers?: boolean | null;
}

/** A row of a brief event, with the calendar user's row among the attendees where he has one. */
type BriefRow = Omit<SeenEvent, 'attendees'> & {
  /** Set once the row is read; a column of its own keeps the shape that all rows share. */
  attendees: readonly Attendee[];
  readonly ownConfirm: number | null;
  readonly ownHidden: boolean;
  readonly ownAlarm: number | null;
  readonly ownExtra: Attendee['extra'];
};

/** A question about one folder, all public ones, or everything the user takes part in. */
export interface EventQuestion {
  readonly shape: ViewShape;
  readonly folderId?: number;
  /** With the shape's folder `each`. */
  readonly folderIds?: readonly number[];
  /** Absent with the shape's times `any`. */
  readonly range?: Omit<Range, 'mode'>;
  readonly maxRows: number;
  /** A stamp, for the filter `changed` and for deletions. */
  readonly since?: number;
}

/** Deletions from a folder. */
export type GoneEvent = readonly [
  id: number,
  seriesId: number | null,
  recurrenceLocalMs: number | null,
  position: number | null,
  lastModified: number,
  folderId?: number,
];

/** Stamps of the context and, of a folder, since when its rights are as they are. */
export interface EventState {
  readonly stamp: number;
  /** Deletions up to this stamp are no longer known. */
  readonly forgotten: number;
  readonly access: number;
}

/** Events as users see them, whole rows. */
@Injectable()
export class EventRepository {
  /** Stamps to be asked for before anything else: whatever has a lower one is there. */
  async getState(db: Reader, folderId: number | undefined): Promise<EventState> {
    const state = await db.first<EventState>(
      `select coalesce(max(c.last_stamp), 0) as stamp, coalesce(max(c.forgotten), 0) as forgotten,
         coalesce((select x.stamp from folder_access x where x.context_id = $1 and x.folder_id = $2), 0) as access
       from appointment_counter c where c.context_id = $1`,
      folderId ?? null,
    );
    return state!;
  }

  /** Events in no particular order; of a folder that the user does not read there are none. */
  async listEvents(db: Reader, user: ViewUser, question: EventQuestion): Promise<SeenEvent[]> {
    const [text, values] = [eventStatement(question.shape), toEventParameters(user, question)];
    if (!question.shape.brief) return db.objects<SeenEvent>(text, ...values);
    return (await db.objects<BriefRow>(text, ...values)).map(withOwnAttendee);
  }

  /** Lists events that are gone since a stamp, at most as many as asked for. */
  async listGone(db: Reader, user: ViewUser, question: EventQuestion): Promise<readonly GoneEvent[]> {
    const found = await db.first<{ deleted: GoneEvent[] | null }>(
      eventDeletionStatement(question.shape),
      ...toEventParameters(user, question),
    );
    return found?.deleted ?? [];
  }

  /** The same for a calendar of the web. */
  async listGoneFromFeed(
    db: Reader,
    folderId: number,
    { since, maxRows }: Pick<EventQuestion, 'since' | 'maxRows'>,
  ): Promise<readonly GoneEvent[]> {
    const rows = await db.rows(
      `select id, series_id, recurrence_local, position, last_modified from tombstone
       where context_id = $1 and folder_id = $2 and last_modified > $3 order by last_modified, id limit $4`,
      folderId,
      since ?? 0,
      maxRows,
    );
    return rows.map((row) => row as [number, number | null, number | null, number | null, number]);
  }

  /**
   * Events of the range that wait for an answer of the user, where he sees them, in all folders or in one; series whose span
   * touches the range are among them. Who delegated has answered, though `confirm` has no number for it.
   */
  listUnanswered(
    db: Reader,
    userId: number,
    folderId: number | undefined,
    range: Pick<Range, 'fromMs' | 'toMs'>,
    maxRows: number,
  ): Promise<SeenEvent[]> {
    return db.objects<SeenEvent>(
      `select ${SEEN_EVENT} from (
         select t.appointment_id as id, coalesce(t.folder_id, b.folder_id) as shown, t.entity as viewer, false as anonymous
         from attendee t join appointment b on b.context_id = $1 and b.id = t.appointment_id
         where t.context_id = $1 and t.type in (1, 3) and t.type = 1 and t.entity = $2 and t.confirm = 0 and not t.hidden
           and t.extra #> '{event,partStat}' is null
           and t.range_end_ms >= $3::bigint and t.start_ms < $4::bigint
           and ($6::int is null or coalesce(t.folder_id, b.folder_id) = $6)
         order by t.start_ms, t.appointment_id limit $5) s
       join appointment a on a.context_id = $1 and a.id = s.id`,
      userId,
      range.fromMs,
      range.toMs,
      maxRows,
      folderId ?? null,
    );
  }
}

function withOwnAttendee(row: BriefRow): SeenEvent {
  row.attendees = row.ownConfirm === null ? [] : [toOwnAttendee(row, row.ownConfirm)];
  return row;
}

/** The calendar user's own row among the attendees; properties that no brief list shows are empty. */
const toOwnAttendee = ({ calendarUser, ownHidden, ownAlarm, ownExtra }: BriefRow, confirm: number): Attendee => ({
  type: PARTICIPANT.user,
  entity: calendarUser,
  hidden: ownHidden,
  confirm,
  alarm: ownAlarm,
  extra: ownExtra,
  mail: null,
  displayName: null,
  folderId: null,
  direct: false,
  listed: true,
  message: null,
});

/** Parameters of statements that show no times of their own. */
export const toEventParameters = (
  user: ViewUser,
  { folderId, folderIds, range, maxRows, since }: Omit<EventQuestion, 'shape'>,
): unknown[] =>
  viewValues({
    user: user.userId,
    groups: user.groups,
    folder: folderIds ?? folderId ?? null,
    from: range?.fromMs ?? null,
    to: range?.toMs ?? null,
    localFrom: range?.localFromMs ?? null,
    localTo: range?.localToMs ?? null,
    maxRows,
    // Times are not shifted by the statement.
    times: '{}',
    timeOffsets: '{}',
    stamps: '{}',
    stampOffsets: '{}',
    pattern: null,
    since: since ?? null,
  });
