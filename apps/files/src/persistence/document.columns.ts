import { DocumentData, fieldsOf, RequestErrors } from '@groupware/contracts';
import { PATH_SEPARATOR } from '@groupware/folders';
import { columnsOf, type ColumnSql, type Columns } from '@groupware/persistence';

/**
 * First parameters of all statements with columns of documents; the context is `$1`. Arrays of folders: in which the reader reads all
 * documents, in which own ones, in which all are written, in which own ones. `names` are display names by user id;
 * `guest` says whether the reader is one.
 */
const VIEW_PARAMETERS = {
  user: '$2::int',
  groups: '$3::int[]',
  zone: '$4::text',
  now: '$5::bigint',
  all: '$6::int[]',
  own: '$7::int[]',
  writeAll: '$8::int[]',
  writeOwn: '$9::int[]',
  names: '$10::jsonb',
  guest: '$11::boolean',
} as const;

/** The number of the first parameter of a filter. */
export const FIRST_FILTER_PARAMETER = 12;

/** Gives every parameter its type, also where a statement does not use it. */
export const NAMED_PARAMETERS = `(select ${Object.values(VIEW_PARAMETERS).join(', ')}) as named`;

const { user, groups, zone, now, all, own, writeAll, writeOwn, names, guest } = VIEW_PARAMETERS;

/** Condition: the rights on its folder let the reader read the document `d`. */
export const READABLE_IN_FOLDER = `(d.folder_id = any(${all}) or d.folder_id = any(${own}) and d.created_by = ${user})`;

/** Condition: another user shares the document `d` itself with the reader. */
export const SHARED_WITH_READER = `d.id in (select p.document_id from document_permission p
  where p.context_id = $1 and p.created_by <> ${user}
    and (not p.is_group and p.entity = ${user} or p.is_group and p.entity = any(${groups})))`;

/** Condition: the reader may know of a tombstone `t`. */
export const READABLE_TOMBSTONE = `(t.folder_id = any(${all}) or t.created_by = ${user})`;

/** Condition: a tombstone `t` of a permission, which may be there again, is about the reader. */
export const PERMISSION_OF_READER = `(not t.is_group and t.entity = ${user} or t.is_group and t.entity = any(${groups}))`;

/** The folder in which the reader sees the document: `q.via` says where it is asked for by the one of shared documents. */
const SEEN_IN = `(case when q.via = 10 or not ${READABLE_IN_FOLDER} then 10 else d.folder_id end)`;

/** Shifts a time to the zone of the request. */
const toRequestZone = (column: string): string =>
  `(${column} + (1000 * date_part('epoch', (to_timestamp(${column} / 1000.0) at time zone ${zone}) - (to_timestamp(${column} / 1000.0) at time zone 'UTC')))::bigint)`;

const IS_LOCKED = `(d.locked_by is not null and d.locked_until > ${now})`;

/** As `mayShare` of the rights on a document. */
const SHAREABLE = `(q.via <> 10 and not ${guest} and (d.folder_id = any(${writeAll}) or d.folder_id = any(${writeOwn}) and d.created_by = ${user}))`;

const SQL: ColumnSql<DocumentData> = {
  id: `${SEEN_IN} || '/' || d.id`,
  created_by: 'd.created_by::text',
  modified_by: 'd.modified_by::text',
  creation_date: toRequestZone('d.created'),
  last_modified: toRequestZone('d.last_modified'),
  last_modified_utc: 'd.last_modified',
  folder_id: `${SEEN_IN}::text`,
  meta: 'd.meta',
  categories: 'd.categories',
  color_label: 'd.color',
  object_permissions: `(select json_agg(json_build_object('entity', p.entity, 'group', p.is_group, 'bits', p.bits)
    order by p.is_group, p.entity) from document_permission p where p.context_id = d.context_id and p.document_id = d.id
    and (not ${guest} or not p.is_group and p.entity = ${user}))`,
  number_of_attachments: '0',
  shareable: SHAREABLE,
  title: 'v.title',
  url: 'v.url',
  filename: 'v.filename',
  file_mimetype: 'v.mime_type',
  file_size: 'v.size_bytes',
  version: 'v.version::text',
  description: 'v.description',
  locked_until: `case when ${IS_LOCKED} then ${toRequestZone('d.locked_until')} else 0 end`,
  file_md5sum: 'v.md5',
  version_comment: 'v.comment',
  current_version: '(v.version = d.version)',
  // As `seesFormerVersions`.
  number_of_versions: `(case when ${guest} and not ${READABLE_IN_FOLDER} then least(d.versions, 1) else d.versions end)`,
  origin: `replace(substr(d.origin_path, 2), chr(${PATH_SEPARATOR.charCodeAt(0)}), '/')`,
  capture_date: toRequestZone(`(v.media ->> 'captured')::bigint`),
  geolocation: `(v.media ->> 'latitude') || ',' || (v.media ->> 'longitude')`,
  width: `(v.media ->> 'width')::int`,
  height: `(v.media ->> 'height')::int`,
  camera_model: `v.media ->> 'model'`,
  camera_iso_speed: `(v.media ->> 'isoSpeed')::int`,
  camera_aperture: `v.media ->> 'aperture'`,
  camera_exposure_time: `v.media ->> 'exposureTime'`,
  camera_focal_length: `v.media ->> 'focalLength'`,
  media_meta: 'v.media',
  media_status: 'v.media_status',
  media_date: `case when v.media_status is not null then ${toRequestZone(`coalesce((v.media ->> 'captured')::bigint, v.created)`)} end`,
  sequence_number: 'd.last_modified',
  // Names and addresses are filled in: see ExtendedPermissions.
  extendedObjectPermissions: `case when ${SHAREABLE} then (select json_agg(json_build_object('entity', p.entity, 'group', p.is_group,
    'bits', p.bits, 'item', d.id) order by p.is_group, p.entity) from document_permission p
    where p.context_id = d.context_id and p.document_id = d.id) end`,
};

/** The columns of a document `d` with its version `v`. */
export const documentColumns = columnsOf(DocumentData, SQL);

/** The same where versions are told apart: who made each, and when. */
export const versionColumns = columnsOf(DocumentData, {
  ...SQL,
  created_by: 'v.created_by::text',
  creation_date: toRequestZone('v.created'),
});

const known = new Set(fieldsOf(DocumentData).flatMap(({ column, requestNames }) => [String(column), ...requestNames]));
/** Names and addresses in it are asked for by name only: they cost calls. */
const EXTENDED_PERMISSIONS = 7010;
const ALL_COLUMNS = fieldsOf(DocumentData).flatMap(({ column }) =>
  column === undefined || column === EXTENDED_PERMISSIONS ? [] : [String(column)],
);
/** Stands for a number of {@link FOREIGN_COLUMNS}: it is answered with null, so that the other values keep their places. */
export const UNKNOWN = '0';
/** Numbers that clients ask of documents because other objects, or other versions of the interface, have them. */
const FOREIGN_COLUMNS = /^([1-7]?\d{1,2}|[37]0\d\d)$/;

/** Column numbers or names; all where none are given. @throws SVL-0010 for what is no column of any object */
export function expandColumns(columns: readonly string[] | undefined): readonly string[] {
  if (!columns || columns.length === 0 || (columns.length === 1 && columns[0] === '')) return ALL_COLUMNS;
  const bad = columns.filter((column) => !known.has(column) && !FOREIGN_COLUMNS.test(column));
  if (bad.length > 0) throw RequestErrors.badParameter('columns', bad.join(','));
  return columns.map((column) => (known.has(column) ? column : UNKNOWN));
}

/** The field of a column; of an unknown number, which has no values, the number. */
export const fieldOfDocumentColumn = (column: string): string =>
  known.has(column) ? documentColumns.field(column).wireName : column;

/** Places of the extended permissions among columns. */
export const findExtendedPermissions = (columns: readonly string[] = []): number[] =>
  columns.flatMap((column, index) =>
    known.has(column) && documentColumns.field(column).column === EXTENDED_PERMISSIONS ? [index] : [],
  );

/** One row as JSON: unknown numbers are answered with null. */
export function toJsonArray(columns: Columns<DocumentData>, asked: readonly string[] | undefined): string {
  const list = expandColumns(asked).map((column) => (column === UNKNOWN ? 'null' : expressionOf(columns, column)));
  const parts: string[] = [];
  for (let index = 0; index < list.length; index += 100)
    parts.push(`jsonb_build_array(${list.slice(index, index + 100).join(', ')})`);
  return list.length <= 100 ? `json_build_array(${list.join(', ')})` : `(${parts.join(' || ')})`;
}

const expressionOf = (columns: Columns<DocumentData>, column: string): string =>
  columns.expression(columns.field(column).property as keyof DocumentData & string) ?? 'null';

const TEXTS: ReadonlySet<string> = new Set([
  'created_by',
  'modified_by',
  'title',
  'url',
  'filename',
  'file_mimetype',
  'description',
  'version_comment',
  'categories',
  'origin',
]);
const SORTED: Readonly<Record<string, string>> = {
  id: 'd.id',
  created_by: `coalesce(${names} ->> d.created_by::text, '')`,
  modified_by: `coalesce(${names} ->> d.modified_by::text, '')`,
  folder_id: 'd.folder_id',
  version: 'v.version',
  locked_until: `case when ${IS_LOCKED} then d.locked_until else 0 end`,
};
const UNSORTABLE: ReadonlySet<string> = new Set(['object_permissions', 'extendedObjectPermissions', 'meta']);

/** Languages whose alphabet has an order of its own; others sort by the root order `und`. */
const SORTED_LANGUAGES: ReadonlySet<string> = new Set([
  ...['af', 'ar', 'az', 'be', 'bg', 'bs', 'ca', 'cs', 'cy', 'da', 'el', 'eo', 'es', 'et', 'fa', 'fi', 'fo', 'gl'],
  ...['he', 'hi', 'hr', 'hu', 'hy', 'is', 'ja', 'ka', 'kk', 'ko', 'ky', 'lt', 'lv', 'mk', 'mn', 'mt', 'nb', 'nn'],
  ...['pl', 'ro', 'ru', 'sk', 'sl', 'sq', 'sr', 'sv', 'th', 'tr', 'uk', 'ur', 'uz', 'vi', 'zh'],
]);

/** The collation of a locale such as `sv_SE`. */
function collationOf(locale: string): string {
  const language = /^[a-z]{2,3}/.exec(locale)?.[0] ?? '';
  return `collate "${SORTED_LANGUAGES.has(language) ? language : 'und'}-x-icu"`;
}

/** True for a column that is sorted by the names of users. */
export const sortsByName = (sort: string | undefined): boolean =>
  sort !== undefined && known.has(sort) && ['created_by', 'modified_by'].includes(documentColumns.field(sort).property);

/** The text behind `order by`: ids unless something else is asked. @throws SVL-0010 for a column without order */
export function orderText(
  { sort, order }: { readonly sort?: string | undefined; readonly order?: string | undefined },
  locale: string,
  byDefault = 'd.id',
): string {
  const isDescending = order?.toLowerCase() === 'desc';
  if (!sort) return isDescending ? `${byDefault} desc` : byDefault;
  if (!known.has(sort)) throw RequestErrors.badParameter('sort', sort);
  const { property } = documentColumns.field(sort);
  const expression = SORTED[property] ?? documentColumns.expression(property as keyof DocumentData & string);
  if (expression === undefined || UNSORTABLE.has(property)) throw RequestErrors.badParameter('sort', sort);
  const value = TEXTS.has(property) ? `lower(${expression} ${collationOf(locale)})` : expression;
  return `${value} ${isDescending ? 'desc nulls last' : 'asc nulls first'}, d.id, v.version`;
}
