import type { AppointmentData } from '@groupware/contracts';
import type { RdatePeriod, Series } from '@groupware/recurrence';
import { toSeriesData } from './appointment-wire';
import { type Recurring, seriesOf, withDeleted } from './series';

/** A series as Postgres tells it. */
export interface SeriesRecord {
  readonly id: number;
  readonly lastModified: number;
  readonly created: number;
  /** JSON of start, end, zone, whole days, floating, rule, RDATEs, EXDATEs, changes, RDATEs that are periods, start that the clocks skip, changes that are deleted for the viewer. */
  readonly definition: string;
  /** JSON arrays of the cells that are the same in every row, see {@link resolveRowTemplate}. */
  readonly cells: readonly string[];
}

/** A series of a view, with what is known about it. */
export interface ViewSeries extends SeriesRecord {
  readonly known: KnownSeries;
}

/** Cached expansion data of a series; equal definitions share it across requests. */
export class KnownSeries {
  readonly recurring: Recurring;
  readonly series: Series;
  private whole: Series | undefined;
  private ruleData: Readonly<Record<string, unknown>> | undefined;
  private readonly ruleJson = new Map<string, string>();

  /** @param definition see {@link SeriesRecord.definition} */
  constructor(definition: string) {
    const [startMs, endMs, timeZone, fullTime, floating, rule, ...lists] = JSON.parse(definition) as Definition;
    const [rdates, exdates, changes, rdatePeriods, skippedStart, deleted] = lists;
    const times = { startMs, endMs, timeZone, fullTime, floating, rule, skippedStart };
    this.recurring = withDeleted({ ...times, rdates, exdates, changes, rdatePeriods }, deleted ?? []);
    this.series = seriesOf(this.recurring);
  }

  /** With the occurrences that were changed; positions count them in both. */
  get withChanges(): Series {
    return (this.whole ??= this.recurring.changes?.length
      ? seriesOf({ ...this.recurring, changes: null })
      : this.series);
  }

  /** The recurrence fields of its rows. */
  private get data(): Readonly<Record<string, unknown>> {
    return (this.ruleData ??= toSeriesData(this.recurring, this.series) as Partial<AppointmentData> &
      Record<string, unknown>);
  }

  /** One of these fields as JSON. */
  json(property: string): string {
    let json = this.ruleJson.get(property);
    if (json === undefined) this.ruleJson.set(property, (json = JSON.stringify(this.data[property] ?? null)));
    return json;
  }
}

type Definition = [
  startMs: number,
  endMs: number,
  timeZone: string,
  fullTime: boolean,
  floating: boolean,
  rule: string | null,
  rdates: number[] | null,
  exdates: number[] | null,
  changes: number[] | null,
  rdatePeriods: RdatePeriod[] | null,
  skippedStart: number | null,
  deleted: number[] | null,
];

const known = new Map<string, KnownSeries>();
const MAX_KNOWN = 10_000;
/** Series with very many exceptions are not kept. */
const MAX_DEFINITION_LENGTH = 2_000;

function knownSeries(definition: string): KnownSeries {
  let series = known.get(definition);
  if (!series) {
    series = new KnownSeries(definition);
    if (definition.length > MAX_DEFINITION_LENGTH) return series;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(definition, series);
  }
  return series;
}

/** A series with what is known about it. */
export const viewSeries = (record: SeriesRecord): ViewSeries => ({ ...record, known: knownSeries(record.definition) });
