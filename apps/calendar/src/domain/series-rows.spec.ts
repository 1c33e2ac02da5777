import { resolveRowTemplate } from './row-template';
import { seriesRows, type SeriesView } from './series-rows';
import { viewSeries } from './series-text';
import { ExpansionBudget, ZoneOffsets } from '@groupware/recurrence';

const DAY = 86_400_000;
const START = Date.UTC(2020, 5, 1, 9);

/** A daily series as Postgres tells it. */
const daily = (
  id: number,
  cells: readonly unknown[][],
  rule = 'FREQ=DAILY;COUNT=3',
  changes: readonly number[] | null = null,
) =>
  viewSeries({
    id,
    lastModified: 70,
    created: 60,
    definition: JSON.stringify([START, START + 3_600_000, 'UTC', false, false, rule, null, null, changes]),
    cells: cells.map((run) => JSON.stringify(run)),
  });

const view = (columns: readonly string[], fields: Partial<SeriesView> = {}): SeriesView => ({
  range: { fromMs: 0, toMs: 1e13, localFromMs: 0, localToMs: 1e13, mode: 'overlap' },
  zone: ZoneOffsets.forZone('UTC'),
  plan: resolveRowTemplate(columns),
  masters: false,
  limit: 100,
  budget: new ExpansionBudget(10_000),
  ...fields,
});

describe('rows of series', () => {
  it('are written from left to right, with what is worked out between what Postgres wrote', () => {
    const columns = ['1', '20', '207', '200', 'start_date', '202', '208', '222', '101', '1'];
    expect(resolveRowTemplate(columns).written).toEqual([['1', '20'], ['200'], ['101', '1']]);
    const series = daily(5, [['5', '34'], ['a,"b]\n'], [false, '5']]);
    const rows = seriesRows(series, view(columns)).map(({ json }) => JSON.parse(json) as unknown[]);
    expect(rows).toEqual(
      [0, 1, 2].map((day) => {
        const start = START + day * DAY;
        return ['5', '34', day + 1, 'a,"b]\n', start, start + 3_600_000, start - (start % DAY), 3, false, '5'];
      }),
    );
  });

  it('need no cells at all', () => {
    const found = [daily(1, []), daily(2, [])];
    // Equal definitions share what was worked out.
    expect(found[0]!.known).toBe(found[1]!.known);
    expect(seriesRows(found[0]!, view(['201'])).map(({ json }) => json)).toEqual(
      [0, 1, 2].map((day) => `[${START + day * DAY}]`),
    );
  });

  it('name no occurrence when the whole series is asked for', () => {
    const series = daily(1, []);
    expect(seriesRows(series, view(['201', '207', '208', '209'], { masters: true }))).toEqual([
      { start: START, id: 1, json: `[${START},null,null,1]` },
    ]);
  });

  it('are there as a whole where each occurrence has an exception', () => {
    const series = daily(
      1,
      [],
      undefined,
      [0, 1, 2].map((day) => START + day * DAY),
    );
    expect(seriesRows(series, view(['201']))).toEqual([]);
    expect(seriesRows(series, view(['201'], { masters: true })).map(({ json }) => json)).toEqual([`[${START}]`]);
    const later = { fromMs: START + 5 * DAY, toMs: 1e13, localFromMs: START + 5 * DAY, localToMs: 1e13 };
    const range = { ...later, mode: 'overlap' as const };
    expect(seriesRows(series, view(['201'], { masters: true, range }))).toEqual([]);
  });

  it('keep a rule that numbers can not say out of the columns', () => {
    const series = daily(1, [], 'FREQ=DAILY;COUNT=2;BYHOUR=9,10');
    expect(seriesRows(series, view(['209', '222'])).map(({ json }) => json)).toEqual(['[null,null]', '[null,null]']);
  });
});
