import type { AppointmentData } from '@groupware/contracts';
import type { Series } from '@groupware/recurrence';
import { seriesData } from './appointment-wire';
import { type Recurring, seriesOf } from './series';

/** A series as a view tells it: one text, its lines parted by line feeds, which no JSON of Postgres contains. */
export interface SeriesText {
  readonly id: number;
  readonly lastModified: number;
  readonly created: number;
  readonly known: KnownSeries;
  /** JSON arrays of the cells that are the same in every row, see `rowPlan`. */
  readonly cells: readonly string[];
}

/** What was worked out about a series; equal definitions share it, also from request to request. */
export class KnownSeries {
  readonly recurring: Recurring;
  readonly series: Series;
  private ruleData: Readonly<Record<string, unknown>> | undefined;
  private readonly ruleJson = new Map<string, string>();

  /** @param definition JSON of start, end, zone, whole days, floating, rule, RDATEs, EXDATEs, changes */
  constructor(definition: string) {
    const [startMs, endMs, timeZone, fullTime, floating, rule, rdates, exdates, changes] = JSON.parse(
      definition,
    ) as Definition;
    this.recurring = { startMs, endMs, timeZone, fullTime, floating, rule, rdates, exdates, changes };
    this.series = seriesOf(this.recurring);
  }

  /** The recurrence fields of its rows. */
  private get data(): Readonly<Record<string, unknown>> {
    return (this.ruleData ??= seriesData(this.recurring, this.series) as Partial<AppointmentData> &
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
    // A copy: a part of a string keeps the whole of it alive.
    known.set(Buffer.from(definition).toString(), series);
  }
  return series;
}

/** Between two series in the text of a view. */
const SEPARATOR = '\n\n';

/** The series of a view, each read when it is asked for; none for null. */
export function* seriesTexts(text: string | null): Generator<SeriesText> {
  if (text === null) return;
  for (const each of text.split(SEPARATOR)) yield seriesText(each);
}

function seriesText(text: string): SeriesText {
  const [head, definition, ...cells] = text.split('\n');
  const [id, lastModified, created] = head!.split(',');
  return {
    id: Number(id),
    lastModified: Number(lastModified),
    created: Number(created),
    known: knownSeries(definition!),
    cells,
  };
}
