import { FindErrors, parseFindRange, PAST_PERIODS, type DocumentData, type FindFilter } from '@groupware/contracts';
import { containsEach, type BindValue } from '@groupware/persistence';
import { holdsPattern } from '../storages/storage-tree';

/** Fields of texts by the names that filters have for them. */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  global: ['v.filename', 'v.title', 'v.description'],
  file_name: ['v.filename'],
  file_description: ['v.description'],
};

/** Media types by kind of file, in lower case, `%` for any ending; what is none of these is of another kind. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  audio: ['audio/%'],
  images: ['image/%'],
  video: ['video/%'],
  documents: [
    ...['text/%', 'application/pdf', 'application/rtf', 'application/msword%', 'application/vnd.ms-word%'],
    ...['application/vnd.ms-excel%', 'application/vnd.ms-powerpoint%'],
    ...['application/vnd.openxmlformats-officedocument.%', 'application/vnd.oasis.opendocument.%'],
    ...['application/vnd.sun.xml.%', 'application/vnd.stardivision.%'],
  ],
};
const OTHER_KIND = 'other';

const MEDIA_TYPE = `lower(coalesce(v.mime_type, ''))`;
const isLike = (patterns: readonly string[]): string =>
  `(${patterns.map((pattern) => `${MEDIA_TYPE} like '${pattern}'`).join(' or ')})`;
/** Conditions by kind of file. */
const TYPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(KINDS).map(([kind, patterns]) => [kind, isLike(patterns)])),
  [OTHER_KIND]: `not (${Object.values(KINDS).map(isLike).join(' or ')})`,
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

/** Whether a file of a storage elsewhere meets a filter. @param now ms UTC @throws FIND-0004 */
export const meetsFilter = (document: DocumentData, { fields, queries }: FindFilter, now: number): boolean =>
  queries.every((query) => fields.some((field) => meetsField(document, field, query, now)));

function meetsField(document: DocumentData, field: string, query: string, now: number): boolean {
  if (field === 'file_type') {
    requireKnown(TYPES, query);
    const type = document.file_mimetype?.toLowerCase() ?? '';
    const isOf = (kind: string) => KINDS[kind]!.some((pattern) => isLikePattern(type, pattern));
    return query === OTHER_KIND ? !Object.keys(KINDS).some(isOf) : isOf(query);
  }
  if (field === 'file_size') return (document.file_size ?? 0) > requireKnown(SIZES, query);
  if (field === 'date') {
    const { from = -Infinity, to = Infinity } = parseFindRange(query, now, PAST_PERIODS);
    const modified = document.last_modified_utc ?? 0;
    return modified >= from && modified <= to;
  }
  // Such storages keep no descriptions.
  return field !== 'file_description' && holdsPattern(document.filename ?? '', query);
}

const isLikePattern = (text: string, pattern: string): boolean =>
  pattern.endsWith('%') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
