import { columnNamesOf, CONTACT_COLUMN_ALIASES, ContactData, RequestErrors } from '@groupware/contracts';
import type { ReadableFolders } from '@groupware/folders';
import { columnsOf, type Columns, type ColumnSql } from '@groupware/persistence';
import { SORTED_LANGUAGES } from '../migrations/1764400000003-create-collations';
import { TEXT_FIELDS, type TextField } from '../domain/contact';

/** Column of the table `contact` for a text field. */
export const columnOfText = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * First parameters of all statements with columns of contacts; the context is `$1`. Arrays are folders: in which the reader
 * reads all contacts, in which his own ones, and which are his own.
 */
const VIEW_PARAMETERS = {
  user: '$2::int',
  zone: '$3::text',
  basePath: '$4::text',
  all: '$5::int[]',
  own: '$6::int[]',
  owned: '$7::int[]',
} as const;

/** Gives every parameter its type, also where a statement does not use it. */
export const NAMED_PARAMETERS = `(select ${Object.values(VIEW_PARAMETERS).join(', ')}) as named`;

const { user, zone, basePath } = VIEW_PARAMETERS;

/** SQL texts of a reader with the readable folders, as {@link VIEW_PARAMETERS} tells them. */
export type ReaderParameters = Readonly<Record<'user' | 'all' | 'own' | 'owned', string>>;

/** Condition: the reader may read the contact. */
export const readable = (alias: string, { user, all, own, owned }: ReaderParameters = VIEW_PARAMETERS): string =>
  `(${alias}.folder_id = any(${all}) or ${alias}.folder_id = any(${own}) and ${alias}.created_by = ${user})
    and (not ${alias}.is_private or ${alias}.created_by = ${user} or ${alias}.folder_id = any(${owned}))`;

/**
 * Condition: the reader may read a contact of the folder, without what the rights on it settle for all of them. It is
 * evaluated for each row: that of all folders takes a sixth of the time of a long list.
 */
export function readableIn(folderId: number, { all, own, owned }: ReadableFolders): string {
  if (!all.includes(folderId) || own.includes(folderId)) return readable('a');
  return owned.includes(folderId) ? 'true' : `(not a.is_private or a.created_by = ${user})`;
}

/** Shifts a time to the zone of the request. */
const toRequestZone = (column: string): string =>
  `(${column} + (1000 * date_part('epoch', (to_timestamp(${column} / 1000.0) at time zone ${zone}) - (to_timestamp(${column} / 1000.0) at time zone 'UTC')))::bigint)`;

/** How often the reader used the contact. */
export const USE_COUNT = `coalesce((select u.uses from contact_use u
  where u.context_id = a.context_id and u.user_id = ${user} and u.contact_id = a.id), 0)`;

const IMAGE_URL = `case when a.image_type is null then null
  when a.user_id is not null then ${basePath} || '/image/user/picture?id=' || a.user_id || '&timestamp=' || a.image_changed
  else ${basePath} || '/image/contact/picture?folder=' || a.folder_id
  || '&id=' || a.id || '&timestamp=' || a.image_changed end`;

/** The id of the folder of a contact, as clients read it. */
type FolderId = (alias: string) => string;
const plainFolderId: FolderId = (alias) => `${alias}.folder_id::text`;
const accountFolderId: FolderId = (alias) => `'con://0/' || ${alias}.folder_id`;

/** The address of a contact that a member `m` refers to. */
export const referredMail = (contact: string): string =>
  `case m.mail_field when 1 then ${contact}.email1 when 2 then ${contact}.email2 else ${contact}.email3 end`;

/**
 * A member `m` as a reader may see it: what the contact `r` that it refers to says, where he may read that, else what the list
 * itself keeps of it.
 */
export const SHOWN_MEMBER = {
  mail: `case when r.id is null then m.mail else ${referredMail('r')} end`,
  displayName: 'case when r.id is null then m.display_name else r.display_name end',
  firstName: 'case when r.id is null then m.first_name else r.first_name end',
  lastName: 'case when r.id is null then m.last_name else r.last_name end',
} as const;

/** Members of a list as the reader may see them: a reference to what he may not read is shown as a bare address. */
const members = (collation: string, folderIdOf: FolderId): string => `case when a.is_list then (
  select coalesce(json_agg(json_strip_nulls(json_build_object('id', s.id::text, 'folder_id', s.folder_id,
      'display_name', s.display_name, 'mail', s.mail, 'mail_field', case when s.id is null then 0 else s.mail_field end,
      'sort_name', s.sort_name)) order by s.sort_name ${collation} nulls first, s.position), '[]'::json)
  from (
    select v.*, case
      when coalesce(v.last_name, v.first_name) is null then coalesce(v.display_name, v.mail)
      when v.last_name is null then v.first_name
      when v.first_name is null then v.last_name
      else v.last_name || ' ' || v.first_name end as sort_name
    from (
      select r.id, ${folderIdOf('r')} as folder_id, m.mail_field, m.position, ${SHOWN_MEMBER.mail} as mail,
        ${SHOWN_MEMBER.displayName} as display_name, ${SHOWN_MEMBER.firstName} as first_name, ${SHOWN_MEMBER.lastName} as last_name
      from contact_member m left join contact r on r.context_id = m.context_id and r.id = m.contact_id and ${readable('r')}
      where m.context_id = a.context_id and m.list_id = a.id) v) s) end`;

const texts = Object.fromEntries(TEXT_FIELDS.map((name) => [name, `a.${columnOfText(name)}`])) as Record<
  TextField,
  string
>;

/** Name of the collation of a locale such as `de_DE`. */
export function collationOf(locale: string): string {
  const language = /^[a-z]{2,3}/.exec(locale)?.[0] ?? '';
  const known = SORTED_LANGUAGES.find((candidate) => candidate === language) ?? 'und';
  return `collate people_${known}`;
}

const PINYIN = 'collate people_pinyin';

const columnSql = (collation: string, folderIdOf: FolderId): ColumnSql<ContactData> => ({
  ...texts,
  id: 'a.id::text',
  created_by: 'a.created_by::text',
  modified_by: 'a.modified_by::text',
  creation_date: toRequestZone('a.created'),
  // A timestamp, not a time: no zone shifts it.
  last_modified: 'a.last_modified',
  last_modified_utc: 'a.last_modified',
  folder_id: folderIdOf('a'),
  categories: 'a.categories',
  private_flag: 'a.is_private',
  color_label: 'a.color',
  number_of_attachments: 'a.attachments',
  lastModifiedOfNewestAttachmentUTC: 'a.newest_attachment',
  uid: 'a.uid',
  birthday: 'a.birthday',
  anniversary: 'a.anniversary',
  user_id: 'a.user_id',
  number_of_links_list: null,
  distribution_list: members(collation, folderIdOf),
  context_id: null,
  number_of_distribution_list: 'a.members',
  number_of_links: null,
  number_of_images: 'case when a.image_changed is not null then (a.image_type is not null)::int end',
  image_last_modified: toRequestZone('a.image_changed'),
  image1: IMAGE_URL,
  image1_content_type: 'a.image_type',
  mark_as_distributionlist: 'a.is_list',
  default_address: 'a.default_address',
  image1_url: IMAGE_URL,
  special_sorting: 'a.sort_name',
  useCount: USE_COUNT,
  useCountGlobalFirst: null,
  martial_status: null,
});

const byShape = new Map<string, Columns<ContactData>>();

/** The columns of `contact a`, with members in the order of a collation; folders with their account where asked for. */
export function contactColumns(collation: string, hasAccountIds = false): Columns<ContactData> {
  const key = `${collation} ${hasAccountIds}`;
  let columns = byShape.get(key);
  if (!columns)
    byShape.set(
      key,
      (columns = columnsOf(ContactData, columnSql(collation, hasAccountIds ? accountFolderId : plainFolderId))),
    );
  return columns;
}

const { known, expand } = columnNamesOf(ContactData, CONTACT_COLUMN_ALIASES, '593');

/** Column numbers or names with aliases spelt out. @throws SVL-0010 for what is no number and no name */
export const expandColumns = expand;

/** Name of the field of an expanded column. */
export const fieldOfColumn = (column: string): string => contactColumns(collationOf('')).field(column).wireName;

/** An order of contacts. */
export interface ContactOrder {
  readonly sort?: string;
  readonly order?: string;
  readonly collation?: string;
}

const TEXTS: ReadonlySet<string> = new Set([
  ...TEXT_FIELDS,
  'categories',
  'uid',
  'image1_content_type',
  'special_sorting',
]);
const UNSORTABLE: ReadonlySet<string> = new Set(['distribution_list', 'image1', 'image1_url']);

/** Special sorting: by name, as people expect it. */
export const specialSort = (collation: string): string => `a.sort_name ${collation} nulls first, a.id`;

/**
 * The text behind `order by`: special sorting unless something else is asked.
 * @throws SVL-0010 for a column that there is no order of
 */
export function orderText({ sort, order, collation }: ContactOrder, locale: string): string {
  const people = collationOf(locale);
  if (sort === undefined || sort === '' || sort === '607' || sort === 'special_sorting') {
    return specialSort(collation === undefined ? people : PINYIN);
  }
  if (sort === '609' || sort === 'useCountGlobalFirst')
    return `${USE_COUNT} desc, (a.folder_id = 6) desc, ${specialSort(people)}`;
  if (!known.has(sort)) throw RequestErrors.badParameter('sort', sort);
  const columns = contactColumns(people);
  const { property } = columns.field(sort);
  const expression = columns.expression(property as keyof ContactData & string);
  if (expression === undefined || UNSORTABLE.has(property)) throw RequestErrors.badParameter('sort', sort);
  const text = TEXTS.has(property) ? ` ${collation === undefined ? people : PINYIN}` : '';
  const direction = order?.toLowerCase() === 'desc' ? 'desc nulls last' : 'asc nulls first';
  const value = ['id', 'created_by', 'modified_by', 'folder_id'].includes(property)
    ? expression.replace('::text', '')
    : expression;
  return `${value}${text} ${direction}, ${specialSort(people)}`;
}
