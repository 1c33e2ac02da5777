import {
  FindErrors,
  isFileNameField,
  parseFindRange,
  type FindFilter,
  type FindPeriod,
  type FindRange,
  type ObjectsByFileName,
} from '@groupware/contracts';
import { containsEach, type BindValue } from '@groupware/persistence';
import { CONFIRM, PARTICIPANT } from '../domain/appointment';

/** Fields of texts by the names that filters have for them. */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  global: ['a.title', 'a.location', 'a.note'],
  subject: ['a.title'],
  location: ['a.location'],
  description: ['a.note'],
};
/** Answers by their names in lower case, those of older clients included. */
const ANSWERS: Readonly<Record<string, number>> = {
  accepted: CONFIRM.accepted,
  declined: CONFIRM.declined,
  tentative: CONFIRM.tentative,
  none: CONFIRM.none,
  'needs-action': CONFIRM.none,
};
const TYPES: Readonly<Record<string, string>> = { single: 'a.series_id is null', series: 'a.series_id is not null' };
const PERIODS: Readonly<Record<string, FindPeriod>> = {
  one_month: { before: 31, after: 31 },
  three_months: { before: 92, after: 92 },
  one_year: { before: 365, after: 365 },
};

/** True for a field in which texts are looked for, whose queries may be too short. */
export const isTextField = (field: string): boolean => isFileNameField(field) || Object.hasOwn(SEARCHED, field);

/** The times, ms UTC, that all ranges among the filters have in common. @throws FIND-0004 */
export function intersectRanges(filters: readonly FindFilter[], now: number): FindRange {
  const ranges = filters
    .filter(({ fields }) => fields.includes('range'))
    .flatMap(({ queries }) => queries.map((query) => parseFindRange(query, now, PERIODS)));
  const starts = ranges.flatMap(({ from }) => from ?? []);
  const ends = ranges.flatMap(({ to }) => to ?? []);
  return {
    ...(starts.length > 0 && { from: Math.max(...starts) }),
    ...(ends.length > 0 && { to: Math.min(...ends) }),
  };
}

/**
 * Condition: an appointment `a` meets a filter, ranges aside; `$2` is the user who searches, `files` says which appointments
 * have files of a name. @throws FIND-0004
 */
export function filterCondition({ fields, queries }: FindFilter, files: ObjectsByFileName, bind: BindValue): string {
  const conditions = queries.map(
    (query) => `(${fields.map((field) => fieldCondition(field, query, files, bind)).join(' or ')})`,
  );
  return conditions.join(' and ');
}

function fieldCondition(field: string, query: string, files: ObjectsByFileName, bind: BindValue): string {
  const hasFile = () => `a.id = any(${bind(files.get(query) ?? [], 'int[]')})`;
  if (isFileNameField(field)) return hasFile();
  const refuse = () => FindErrors.badQuery(query.slice(0, 100));
  switch (field) {
    case 'range':
      return 'true';
    case 'users':
      if (!/^\d{1,9}$/.test(query)) throw refuse();
      return hasAttendee(`w.type = ${PARTICIPANT.user} and w.entity = ${bind(Number(query), 'int')}`);
    case 'participant':
      return hasAttendee(containsEach(['w.mail', 'w.display_name'], [query], bind));
    case 'status': {
      const answer = ANSWERS[query.toLowerCase()];
      if (answer === undefined) throw refuse();
      return hasAttendee(`w.type = ${PARTICIPANT.user} and w.entity = $2 and w.confirm = ${bind(answer, 'int')}`);
    }
    case 'type': {
      const condition = Object.hasOwn(TYPES, query) ? TYPES[query] : undefined;
      if (condition === undefined) throw refuse();
      return condition;
    }
    case 'global':
      return `(${containsEach(SEARCHED.global!, [query], bind)} or ${hasFile()})`;
    default:
      return containsEach(SEARCHED[field]!, [query], bind);
  }
}

const hasAttendee = (condition: string): string => `exists (select from attendee w
  where w.context_id = $1 and w.appointment_id = a.id and not w.hidden and ${condition})`;
