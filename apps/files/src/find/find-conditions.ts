import { FindErrors, parseFindRange, PAST_PERIODS, type FindFilter } from '@groupware/contracts';
import { containsEach, type BindValue } from '@groupware/persistence';

/** Fields of texts by the names that filters have for them. */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  global: ['v.filename', 'v.title', 'v.description'],
  file_name: ['v.filename'],
  file_description: ['v.description'],
};

const MEDIA_TYPE = `lower(coalesce(v.mime_type, ''))`;
const isLike = (...patterns: readonly string[]): string =>
  `(${patterns.map((pattern) => `${MEDIA_TYPE} like '${pattern}'`).join(' or ')})`;
/** Conditions by kind of file; what is none of these is of another kind. */
const KINDS: Readonly<Record<string, string>> = {
  audio: isLike('audio/%'),
  images: isLike('image/%'),
  video: isLike('video/%'),
  documents: isLike(
    ...['text/%', 'application/pdf', 'application/rtf', 'application/msword%', 'application/vnd.ms-word%'],
    ...[
      'application/vnd.ms-excel%',
      'application/vnd.ms-powerpoint%',
      'application/vnd.openxmlformats-officedocument.%',
    ],
    ...['application/vnd.oasis.opendocument.%', 'application/vnd.sun.xml.%', 'application/vnd.stardivision.%'],
  ),
};
const TYPES: Readonly<Record<string, string>> = {
  ...KINDS,
  other: `not (${Object.values(KINDS).join(' or ')})`,
};

const MIB = 1024 ** 2;
const SIZES: Readonly<Record<string, number>> = {
  '>1MB': MIB,
  '>10MB': 10 * MIB,
  '>100MB': 100 * MIB,
  '>1GB': 1024 * MIB,
};

/** True for a field in which texts are looked for, whose queries may be too short. */
export const isTextField = (field: string): boolean => Object.hasOwn(SEARCHED, field);

/** Condition: a document `d` meets a filter with its version `v`. @param now ms UTC @throws FIND-0004 */
export function filterCondition({ fields, queries }: FindFilter, now: number, bind: BindValue): string {
  const conditions = queries.map((query) => {
    const met = fields.map((field) => fieldCondition(field, query, now, bind));
    return `(${met.join(' or ')})`;
  });
  return conditions.join(' and ');
}

function fieldCondition(field: string, query: string, now: number, bind: BindValue): string {
  if (field === 'file_type') return requireKnown(TYPES, query);
  if (field === 'file_size') return `v.size_bytes > ${bind(requireKnown(SIZES, query), 'bigint')}`;
  if (field === 'date') {
    const { from, to } = parseFindRange(query, now, PAST_PERIODS);
    const ends = [
      ...(from === undefined ? [] : [`d.last_modified >= ${bind(from, 'bigint')}`]),
      ...(to === undefined ? [] : [`d.last_modified <= ${bind(to, 'bigint')}`]),
    ];
    return ends.length === 0 ? 'true' : `(${ends.join(' and ')})`;
  }
  return containsEach(SEARCHED[field]!, [query], bind);
}

function requireKnown<T>(values: Readonly<Record<string, T>>, query: string): T {
  if (!Object.hasOwn(values, query)) throw FindErrors.badQuery(query.slice(0, 100));
  return values[query]!;
}
