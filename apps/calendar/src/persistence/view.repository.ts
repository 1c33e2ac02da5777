import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';
import type { ZoneOffsets } from '@groupware/recurrence';
import type { Range } from '../domain/range';
import type { RowPlace } from '../domain/encoded-rows';
import type { SeriesRecord } from '../domain/series-text';
import { DAYS_STATEMENT, type ViewParameters, type ViewShape, viewStatement, viewValues } from './view.query';
import { steadyOffset, zoneTable, type ZoneTable } from './zone-table';

/** The user who views. */
export interface ViewUser {
  readonly userId: number;
  readonly groups: readonly number[];
}

/** A question about one folder, or about everything the user takes part in. */
export interface ViewQuestion {
  readonly shape: ViewShape;
  readonly folderId?: number;
  /** Absent with the shape's times `any`. */
  readonly range?: Omit<Range, 'mode'>;
  readonly zone: ZoneOffsets;
  readonly columns: readonly string[];
  /** Ask for one row more than allowed to see that there are too many. */
  readonly maxRows: number;
  /** ms UTC. */
  readonly now: number;
  /** A LIKE pattern, for the filter `title`. */
  readonly pattern?: string;
  /** A stamp, for the filter `changed`. */
  readonly since?: number;
}

/** A row deleted from a folder. */
export type DeletedRow = readonly [
  id: number,
  seriesId: number | null,
  recurrenceLocalMs: number | null,
  position: number | null,
  lastModified: number,
];

/** The result of the view statement. */
export interface ViewRows {
  /** 1 private, 2 public; null without a folder. */
  readonly type: 1 | 2 | null;
  readonly owner: number | null;
  /** Bits granted by the permission list. */
  readonly granted: number | null;
  /** JSON array of the single rows in order. */
  readonly rows: string;
  readonly count: number;
  /** Newest stamp of the single rows; 0 without any. */
  readonly newest: number;
  /** Places of the single rows; only when there are series to merge with. */
  readonly places: readonly RowPlace[] | null;
  readonly series: readonly SeriesRecord[] | null;
  readonly deleted: readonly DeletedRow[] | null;
  readonly deletedCount: number;
  /** Newest stamp of the deletions; 0 without any. */
  readonly deletedNewest: number;
  /** Since when the rights on the folder are as they are; 0 without a folder, and when they never changed. */
  readonly access: number;
  /** Newest stamp of the whole context. */
  readonly stamp: number;
  /** Deletions up to this stamp are no longer known; 0 when all are. */
  readonly forgotten: number;
}

const TWO_YEARS_MS = 2 * 365 * 86_400_000;
/** No object is older than the product. */
const OLDEST_STAMP_MS = Date.UTC(2020, 0, 1);
/** Rows that only touch the range begin or end so far outside of it at most, for the table of offsets. */
const MARGIN_MS = 366 * 86_400_000;
/** Without a range, or with one that is longer than this, offsets before and after it are those of its edges. */
const ALL_TIME = { fromMs: Date.UTC(1900, 0, 1), toMs: Date.UTC(2100, 0, 1) };

/** Views of calendars: one statement each, whatever the number of rows. */
@Injectable()
export class ViewRepository {
  /** Undefined when the folder does not exist. */
  rows(db: Reader, user: ViewUser, question: ViewQuestion): Promise<ViewRows | undefined> {
    const { shape, columns } = question;
    const offsets = offsetsOf(question, shape.times);
    const clocks = { times: typeof offsets.times === 'number', stamps: typeof offsets.stamps === 'number' };
    return db.first<ViewRows>(
      viewStatement({ ...shape, clocks }, columns),
      ...viewValues(parametersOf(user, question, offsets)),
    );
  }

  /** The days of a range, numbered from 0, that single appointments of the user touch, and his series. */
  async days(
    db: Reader,
    user: ViewUser,
    question: Pick<ViewQuestion, 'range' | 'zone' | 'now'> & { readonly days: number },
  ): Promise<{ days: number[]; series: readonly SeriesRecord[] }> {
    const found = await db.first<{ days: number[] | null; series: readonly SeriesRecord[] | null }>(
      DAYS_STATEMENT,
      ...viewValues(parametersOf(user, { ...question, maxRows: question.days }, tablesOf(question))),
    );
    return { days: found?.days ?? [], series: found?.series ?? [] };
  }
}

function tableBounds(range: ViewQuestion['range']): { fromMs: number; toMs: number } {
  if (!range || range.toMs - range.fromMs > ALL_TIME.toMs - ALL_TIME.fromMs) return ALL_TIME;
  return { fromMs: range.fromMs - MARGIN_MS, toMs: range.toMs + MARGIN_MS };
}

/** Offsets of the clocks of a request: one for all instants, or a table. */
interface Offsets {
  readonly times: ZoneTable | number;
  readonly stamps: ZoneTable | number;
}

function tablesOf({ zone, range, now }: Pick<ViewQuestion, 'range' | 'zone' | 'now'>): {
  readonly times: ZoneTable;
  readonly stamps: ZoneTable;
} {
  const { fromMs, toMs } = tableBounds(range);
  return { times: zoneTable(zone, fromMs, toMs), stamps: zoneTable(zone, OLDEST_STAMP_MS, now + TWO_YEARS_MS) };
}

/** Numbers wherever the clocks do not change; what merely touches the range may begin or end at other clocks. */
function offsetsOf(question: Pick<ViewQuestion, 'range' | 'zone' | 'now'>, mode: ViewShape['times']): Offsets {
  const { times, stamps } = tablesOf(question);
  const { zone, range } = question;
  const within = mode === 'contained' && range ? steadyOffset(zone, range.fromMs, range.toMs) : undefined;
  return { times: within ?? times.steady ?? times, stamps: stamps.steady ?? stamps };
}

function parametersOf(
  user: ViewUser,
  { range, folderId, maxRows, pattern, since }: Omit<ViewQuestion, 'shape' | 'columns' | 'zone' | 'now'>,
  { times, stamps }: Offsets,
): ViewParameters {
  return {
    user: user.userId,
    groups: user.groups,
    folder: folderId ?? null,
    from: range?.fromMs ?? null,
    to: range?.toMs ?? null,
    localFrom: range?.localFromMs ?? null,
    localTo: range?.localToMs ?? null,
    maxRows,
    times: typeof times === 'number' ? times : times.transitions,
    timeOffsets: typeof times === 'number' ? null : times.offsets,
    stamps: typeof stamps === 'number' ? stamps : stamps.transitions,
    stampOffsets: typeof stamps === 'number' ? null : stamps.offsets,
    pattern: pattern ?? null,
    since: since ?? null,
  };
}
