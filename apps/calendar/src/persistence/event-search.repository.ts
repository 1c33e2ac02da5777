import { Injectable } from '@nestjs/common';
import type { FindFolderType, FindRange } from '@groupware/contracts';
import type { BindValue, Reader } from '@groupware/persistence';
import { VARIABLE_OFFSETS } from './appointment.columns';
import { toEventParameters, type SeenEvent } from './event.repository';
import { folderOf, nameParameters, partsOf, SEEN_EVENT, type ViewPart, type ViewShape } from './view.query';
import { OWN_FOLDERS } from './view-sources';
import type { ViewUser } from './view.repository';

/** A search of the events that a user reads: of one folder, or of all of them. */
export interface EventSearch {
  readonly folderId?: number;
  readonly folderType?: FindFolderType;
  /** Writes the conditions on `appointment a`, with values that it binds. */
  readonly condition: (bind: BindValue) => string;
  readonly range: FindRange;
  /** ms that the clock of the user is ahead of UTC: events without zone are at his times. */
  readonly offsetMs: number;
}

/** A series by the occurrence that stands for it. */
export interface PlacedSeries {
  readonly id: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** Part of the events found, in their order. */
export interface EventPage {
  readonly now: number;
  readonly from: number;
  readonly size: number;
}

/** Parameters of views come first. */
const FIRST_PARAMETER = 16;

const FOLDER_TYPES: Readonly<Record<FindFolderType, (folder: string) => string>> = {
  private: (folder) => `${folder} in ${OWN_FOLDERS}`,
  public: (folder) => `exists (select from folder w where w.context_id = $1 and w.id = ${folder} and w.type = 2)`,
  shared: (folder) =>
    `exists (select from folder w where w.context_id = $1 and w.id = ${folder} and w.type = 1 and w.created_by <> $2::int)`,
};

/** Events by conditions, each of them where the user sees it. */
@Injectable()
export class EventSearchRepository {
  /** Series of which an occurrence may lie in the range. */
  listSeries(db: Reader, user: ViewUser, search: EventSearch, most: number): Promise<SeenEvent[]> {
    const { text, values } = build(search, 'a.is_series', 'a.range_end_ms');
    return db.objects<SeenEvent>(
      `select ${SEEN_EVENT} from ${text.from} cross join lateral (${text.parts('')} limit $9) s
       join appointment a on a.context_id = $1 and a.id = s.id`,
      ...toEventParameters(user, { folderId: search.folderId, maxRows: most }),
      ...values,
    );
  }

  /**
   * A page of the single events and exceptions that are found, and the series: what is to come or goes on, by start, then what is
   * over, the latest first. Exceptions of the series are left out; of the series themselves there is the id alone.
   */
  listPage(
    db: Reader,
    user: ViewUser,
    search: EventSearch,
    series: readonly PlacedSeries[],
    { now, from, size }: EventPage,
  ): Promise<SeenEvent[]> {
    const { text, values, bind, at } = build(search, 'not a.is_series', 'a.end_ms');
    const ids = bind(
      series.map(({ id }) => id),
      'int[]',
    );
    const starts = bind(
      series.map(({ startMs }) => startMs),
      'bigint[]',
    );
    const ends = bind(
      series.map(({ endMs }) => endMs),
      'bigint[]',
    );
    const isOver = `e.end_ms <= ${bind(now, 'bigint')}`;
    const singles = text.parts(
      `, ${at('a.start_ms')} as start_ms, ${at('a.end_ms')} as end_ms`,
      `and (a.series_id is null or a.series_id <> all(${ids}))`,
    );
    return db.objects<SeenEvent>(
      `select ${SEEN_EVENT} from ${text.from} cross join lateral (
         select e.*, row_number() over (order by ${isOver}, case when ${isOver} then -e.start_ms else e.start_ms end, e.id) as rank
         from (${singles} union all
           select x.id, null::int, null::int, false, x.start_ms, x.end_ms
           from unnest(${ids}, ${starts}, ${ends}) as x (id, start_ms, end_ms)) e
         order by rank offset ${bind(from, 'bigint')} limit $9) s
       join appointment a on a.context_id = $1 and a.id = s.id order by s.rank`,
      ...toEventParameters(user, { folderId: search.folderId, maxRows: size }),
      ...values,
    );
  }
}

/** The parts of a statement that its search decides; `end` is the column with the end of an event. */
function build({ folderId, folderType, condition, range, offsetMs }: EventSearch, kind: string, end: string) {
  const values: unknown[] = [];
  const bind: BindValue = (value, type) => `$${FIRST_PARAMETER - 1 + values.push(value)}::${type}`;
  let offset: string | undefined;
  const at = (column: string) =>
    `${column} - case when a.floating then ${(offset ??= bind(offsetMs, 'bigint'))} else 0 end`;
  const conditions = [
    kind,
    condition(bind),
    ...(range.from === undefined ? [] : [`${at(end)} >= ${bind(range.from, 'bigint')}`]),
    ...(range.to === undefined ? [] : [`${at('a.start_ms')} <= ${bind(range.to, 'bigint')}`]),
  ].join(' and ');
  const shape: ViewShape =
    folderId === undefined ? { folder: false, others: 'shared', times: 'any' } : { folder: true, times: 'any' };
  const ofType = (part: ViewPart) => (folderType === undefined ? '' : `and ${FOLDER_TYPES[folderType](part.folder)}`);
  const parts = (columns: string, more = '') =>
    partsOf(shape)
      .map(
        (part) => `select a.id, ${part.folder} as shown, ${part.calendarUser} as viewer, false as anonymous${columns}
          from ${part.from} where ${part.where} ${ofType(part)} and ${conditions} ${more}`,
      )
      .join(' union all ');
  const from = `${folderOf(shape)} f cross join ${nameParameters(VARIABLE_OFFSETS)}`;
  return { text: { from, parts }, values, bind, at };
}
