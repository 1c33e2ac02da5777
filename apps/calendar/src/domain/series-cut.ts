import {
  firstOccurrence,
  formatRule,
  type Occurrence,
  occurrencesBetween,
  type RecurrenceRule,
  type RuleUntil,
  type Series,
  ZoneOffsets,
} from '@groupware/recurrence';
import { type Appointment, ENDLESS } from './appointment';
import { withRangeEnd } from './exception';
import { DAY_MS } from './local-days';
import { withRest } from './appointment-rest';
import { parseStoredRule, skippedStartAt, wholeSeriesOf } from './series';

const SECOND_MS = 1_000;

/** A series as far as it lies before an original start (local ms); undefined when nothing does. */
export function seriesBefore(series: Appointment, localMs: number): Appointment | undefined {
  const first = firstOccurrence(wholeSeriesOf(series));
  if (!first || first.localMs >= localMs) return undefined;
  const isBefore = (local: number): boolean => local < localMs;
  return withRangeEnd({
    ...series,
    rule: series.rule === null ? null : formatRule(endRule(series, parseStoredRule(series.rule), localMs)),
    rdates: nullable(series.rdates?.filter(isBefore)),
    exdates: nullable(series.exdates?.filter(isBefore)),
    changes: nullable(series.changes?.filter(isBefore)),
  });
}

/** A series from one of its occurrences on: it begins with it. */
export function seriesFrom(series: Appointment, occurrence: Occurrence): Appointment {
  const { localMs, startMs, endMs } = occurrence;
  const isSince = (local: number): boolean => local >= localMs;
  return withRangeEnd({
    ...series,
    startMs,
    endMs,
    extra: withRest(series, { file: { skippedStart: skippedStartAt(series, localMs) } }),
    rule: series.rule === null ? null : shortenRule(series.rule, wholeSeriesOf(series), occurrence),
    rdates: nullable(series.rdates?.filter(isSince)),
    exdates: nullable(series.exdates?.filter(isSince)),
    changes: nullable(series.changes?.filter(isSince)),
  });
}

const nullable = (list: readonly number[] | undefined): readonly number[] | null => (list?.length ? list : null);

/** The rule with an end right before an original start, of the kind that RFC 5545 wants for its series (section 3.3.10). */
function endRule(series: Appointment, rule: RecurrenceRule, localMs: number): RecurrenceRule {
  const { count: _count, ...endless } = rule;
  return { ...endless, until: untilBefore(series, localMs) };
}

function untilBefore({ fullTime, floating, timeZone }: Appointment, localMs: number): RuleUntil {
  if (fullTime) return { kind: 'date', ms: localMs - DAY_MS };
  if (floating) return { kind: 'local', ms: localMs - SECOND_MS };
  return { kind: 'utc', ms: ZoneOffsets.forZone(timeZone).localToInstant(localMs) - SECOND_MS };
}

/** The rule without those of its occurrences that come before one of them. */
function shortenRule(text: string, whole: Series, { localMs, startMs }: Occurrence): string {
  const rule = parseStoredRule(text);
  if (rule.count === undefined) return text;
  const ruled = { ...whole, rdates: undefined, rdatePeriods: undefined, durationMs: 0 };
  const passed = occurrencesBetween(ruled, -ENDLESS, startMs, { limit: rule.count }).filter(
    (each) => each.localMs < localMs,
  );
  return formatRule({ ...rule, count: Math.max(1, rule.count - passed.length) });
}
