import { Injectable } from '@nestjs/common';
import { FeedbackErrors, type FeedbackPath, type FeedbackRangeQuery, type FeedbackType } from '@groupware/contracts';
import { encodeUtf8 } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { BYTE_ORDER_MARK, toCsvLine } from './domain/csv';
import { parseFeedbackType } from './domain/feedback-content';
import { listFields } from './domain/feedback-fields';
import { toRowValues, type FeedbackRow } from './domain/feedback-row';
import { FeedbackGroups } from './feedback-groups';
import { FeedbackRepository, type FeedbackScope } from './persistence/feedback.repository';

/** Entries that are in memory at once: with comments of full length some 20 MB. */
const PAGE = 1_000;
/** Entries deleted in one transaction. */
const BATCH = 10_000;
const LAST = Number.MAX_SAFE_INTEGER;

/** Entries that a request names, checked. */
export interface FeedbackSelection extends FeedbackScope {
  readonly type: FeedbackType;
  readonly shard: string;
  /** ms UTC, exclusive. */
  readonly after: number;
  readonly before: number;
}

/** Reads and deletes entries, page by page: no report is ever in memory as a whole. */
@Injectable()
export class FeedbackExport {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: FeedbackRepository,
    private readonly groups: FeedbackGroups,
  ) {}

  /** The entries a request names. @throws FEEDBACK-0003, FEEDBACK-0005, FEEDBACK-0006, FEEDBACK-0012 */
  async parseSelection({
    contextGroup,
    type,
    start = 0,
    end = 0,
  }: FeedbackPath & FeedbackRangeQuery): Promise<FeedbackSelection> {
    if (end > 0 && end < start) throw FeedbackErrors.badParameter('end', end);
    return {
      type: parseFeedbackType(type),
      contextGroup,
      shard: await this.groups.getShard(contextGroup),
      // 0 is open to that side.
      after: start > 0 ? start : -1,
      before: end > 0 ? end : LAST,
    };
  }

  /** Entries as a JSON array. The first page is read before the stream is answered: what fails, fails with an error. */
  async exportJson(selection: FeedbackSelection): Promise<AsyncIterable<Uint8Array>> {
    const names = listFields(selection.type).map(({ name }) => name);
    const texts = async function* (pages: AsyncIterable<FeedbackRow[]>): AsyncGenerator<string> {
      let before = '[';
      for await (const page of pages)
        for (const row of page) {
          const values = toRowValues(selection.type, row);
          yield before + JSON.stringify(Object.fromEntries(names.map((name, index) => [name, values[index]])));
          before = ',';
        }
      yield before === '[' ? '[]' : ']';
    };
    return encodeUtf8(texts(await this.openPages(selection)));
  }

  /** Entries as CSV. */
  async exportCsv(selection: FeedbackSelection, delimiter: string): Promise<AsyncIterable<Uint8Array>> {
    const titles = listFields(selection.type).map(({ title }) => title);
    const texts = async function* (pages: AsyncIterable<FeedbackRow[]>): AsyncGenerator<string> {
      yield BYTE_ORDER_MARK + toCsvLine(titles, delimiter);
      for await (const page of pages)
        for (const row of page) yield toCsvLine(toRowValues(selection.type, row), delimiter);
    };
    return encodeUtf8(texts(await this.openPages(selection)));
  }

  /** Deletes entries, in batches of one transaction each. */
  async deleteEntries(selection: FeedbackSelection): Promise<void> {
    let gone: number;
    do
      gone = await this.database.onShard(selection.shard, 'an operator exports the feedback of all contexts', (db) =>
        this.rows.delete(db, selection, selection.after, selection.before, BATCH),
      );
    while (gone === BATCH);
  }

  private async openPages(selection: FeedbackSelection): Promise<AsyncIterable<FeedbackRow[]>> {
    const first = await this.readPage(selection, { date: selection.after, id: LAST });
    const next = (row: FeedbackRow) => this.readPage(selection, row);
    return (async function* () {
      for (let page = first; page.length > 0; page = page.length < PAGE ? [] : await next(page.at(-1)!)) yield page;
    })();
  }

  private readPage(selection: FeedbackSelection, after: { date: number; id: number }): Promise<FeedbackRow[]> {
    return this.database.onShard(selection.shard, 'an operator exports the feedback of all contexts', (db) =>
      this.rows.listPage(db, selection, after, selection.before, PAGE),
    );
  }
}
