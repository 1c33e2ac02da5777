import { Injectable } from '@nestjs/common';
import type { Reader } from '@groupware/persistence';
import type { ZoneOffsets } from '@groupware/recurrence';
import type { Range } from '../domain/range';
import { DAYS_STATEMENT, viewStatement, type ViewShape } from './view.query';
import { zoneTable } from './zone-table';

/** Whose view it is. */
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

/** What is gone from a folder. */
export type DeletedRow = readonly [
  id: number,
  seriesId: number | null,
  recurrenceLocalMs: number | null,
  position: number | null,
];

/** The answer of the view statement. */
export interface ViewRows {
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
  /** Series, to be read by `seriesTexts`; null without any. */
  readonly series: string | null;
  /** JSON of {@link DeletedRow}s; null without any. */
  readonly deleted: string | null;
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
    return db.first<ViewRows>(viewStatement(question.shape, question.columns), ...parametersOf(user, question));
  }

  /** The days of a range, numbered from 0, that single appointments of the user touch, and his series. */
  async days(
    db: Reader,
    user: ViewUser,
    question: Pick<ViewQuestion, 'range' | 'zone' | 'now'> & { readonly days: number },
  ): Promise<{ days: number[]; series: string | null }> {
    const found = await db.first<{ days: number[] | null; series: string | null }>(
      DAYS_STATEMENT,
      ...parametersOf(user, { ...question, maxRows: question.days }),
    );
    return { days: found?.days ?? [], series: found?.series ?? null };
  }
}

function tableBounds(range: ViewQuestion['range']): { fromMs: number; toMs: number } {
  if (!range || range.toMs - range.fromMs > ALL_TIME.toMs - ALL_TIME.fromMs) return ALL_TIME;
  return { fromMs: range.fromMs - MARGIN_MS, toMs: range.toMs + MARGIN_MS };
}

function parametersOf(user: ViewUser, question: Omit<ViewQuestion, 'shape' | 'columns'>): unknown[] {
  const { range, zone, folderId } = question;
  const { fromMs, toMs } = tableBounds(range);
  const times = zoneTable(zone, fromMs, toMs);
  const stamps = zoneTable(zone, OLDEST_STAMP_MS, question.now + TWO_YEARS_MS);
  return [
    user.userId,
    user.groups,
    folderId ?? null,
    range?.fromMs ?? null,
    range?.toMs ?? null,
    range?.localFromMs ?? null,
    range?.localToMs ?? null,
    question.maxRows,
    times.transitions,
    times.offsets,
    stamps.transitions,
    stamps.offsets,
    question.pattern ?? null,
    question.since ?? null,
  ];
}
