import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';
import type { ZoneOffsets } from '@groupware/recurrence';
import type { Range } from '../domain/range';
import { rangeStatement } from './range.query';
import { zoneTable } from './zone-table';

/** A question about a range of one folder, or of everything the user takes part in. */
export interface RangeQuestion {
  readonly folderId: number | undefined;
  readonly range: Range;
  readonly zone: ZoneOffsets;
  readonly columns: readonly string[];
  /** Ask for one row more than allowed to see that there are too many. */
  readonly maxRows: number;
  /** ms UTC. */
  readonly now: number;
}

/** A series as the statement tells it: what the expansion needs, and its cells. */
export type SeriesRow = readonly [
  id: number,
  lastModified: number,
  startMs: number,
  endMs: number,
  timeZone: string,
  fullTime: boolean,
  floating: boolean,
  rule: string | null,
  rdates: number[] | null,
  exdates: number[] | null,
  changes: number[] | null,
  cells: unknown[],
];

/** The answer of the range statement. */
export interface RangeRows {
  /** 1 private, 2 public; null without a folder. */
  readonly type: 1 | 2 | null;
  readonly owner: number | null;
  /** Bits granted by the permission list. */
  readonly granted: number | null;
  /** JSON arrays of single rows in order, parted by `,\n`; null without any. */
  readonly cells: string | null;
  readonly count: number;
  /** Newest stamp of the single rows; 0 without any. */
  readonly newest: number;
  /** Shown starts and ids of the single rows, parted by commas; only when there are series to merge with. */
  readonly starts: string | null;
  readonly ids: string | null;
  /** JSON of {@link SeriesRow}s; null without any. */
  readonly series: string | null;
  /** Newest stamp of the whole context. */
  readonly stamp: number;
}

const TWO_YEARS_MS = 2 * 365 * 86_400_000;
/** No object is older than the product. */
const OLDEST_STAMP_MS = Date.UTC(2020, 0, 1);
/** Rows that only touch the range begin or end so far outside of it at most, for the table of offsets. */
const MARGIN_MS = 366 * 86_400_000;

/** The range view of calendars: one statement, whatever the number of rows. */
@Injectable()
export class RangeRepository {
  /** Undefined when the folder does not exist. */
  rows(
    db: Reader,
    user: { readonly userId: number; readonly groups: readonly number[] },
    question: RangeQuestion,
  ): Promise<RangeRows | undefined> {
    const { range, zone, columns, folderId } = question;
    const times = zoneTable(zone, range.fromMs - MARGIN_MS, range.toMs + MARGIN_MS);
    const stamps = zoneTable(zone, OLDEST_STAMP_MS, question.now + TWO_YEARS_MS);
    return db.first<RangeRows>(
      rangeStatement({ folder: folderId !== undefined, mode: range.mode }, columns),
      user.userId,
      user.groups,
      folderId ?? null,
      range.fromMs,
      range.toMs,
      range.localFromMs,
      range.localToMs,
      question.maxRows,
      times.transitions,
      times.offsets,
      stamps.transitions,
      stamps.offsets,
    );
  }
}
