import {
  anyBeginsWith,
  escapeLike,
  foldCase,
  matchesText,
  type BindValue,
  type SearchField,
  type SearchFields,
} from '@groupware/persistence';
import { TEXT_FIELDS, type TextField } from '../domain/contact';
import { columnOfText, USE_COUNT } from '../persistence/contact.columns';

/** Condition: the contact has an address, as everything has to that mail is sent to. */
export const HAS_ADDRESS = '(a.email1 is not null or a.email2 is not null or a.email3 is not null or a.members > 0)';

/** SQL of a text field. */
export const textSql = (field: TextField | 'categories'): string => `a.${columnOfText(field)}`;

/** Condition: one of these fields begins with a text. */
export const anyFieldBeginsWith = (fields: readonly TextField[], text: string, bind: BindValue): string =>
  anyBeginsWith(fields.map(textSql), text, bind);

/** Condition: a word of one of these fields begins with a text. */
export function anyWordBeginsWith(fields: readonly TextField[], text: string, bind: BindValue): string {
  const pattern = foldCase(bind(`% ${escapeLike(text)}%`, 'text'));
  return `(${fields.map((field) => `(' ' || ${foldCase(textSql(field))}) like ${pattern}`).join(' or ') || 'false'})`;
}

/** Condition: the contact is a list with a member of which a condition holds, made of the address and the name. */
export const hasMember = (toCondition: (fields: readonly string[]) => string): string =>
  `exists (select from contact_member m
  where m.context_id = $1 and m.list_id = a.id and (${toCondition(['m.mail', 'm.display_name'])}))`;

const memberMatches = (bind: BindValue, text: string): string =>
  hasMember((fields) => fields.map((sql) => matchesText(sql, text, bind)).join(' or '));

const NUMBERS: Readonly<Record<string, string>> = {
  id: 'a.id',
  created_by: 'a.created_by',
  modified_by: 'a.modified_by',
  creation_date: 'a.created',
  last_modified: 'a.last_modified',
  last_modified_utc: 'a.last_modified',
  folder_id: 'a.folder_id',
  color_label: 'a.color',
  number_of_attachments: 'a.attachments',
  lastModifiedOfNewestAttachmentUTC: 'a.newest_attachment',
  birthday: 'a.birthday',
  anniversary: 'a.anniversary',
  user_id: 'a.user_id',
  number_of_distribution_list: 'a.members',
  number_of_images: 'case when a.image_changed is not null then (a.image_type is not null)::int end',
  image_last_modified: 'a.image_changed',
  default_address: 'a.default_address',
  useCount: USE_COUNT,
};
const text = (sql: string): SearchField => ({ kind: 'text', sql });

/** Fields of contacts that terms may name. */
export const CONTACT_SEARCH_FIELDS: SearchFields = new Map<string, SearchField>([
  ...TEXT_FIELDS.map((name) => [name, text(textSql(name))] as const),
  ['categories', text('a.categories')],
  ['uid', text('a.uid')],
  ['image1_content_type', text('a.image_type')],
  ...Object.entries(NUMBERS).map(([name, sql]) => [name, { kind: 'number', sql }] as const),
  ['private_flag', { kind: 'boolean', sql: 'a.is_private' }],
  ['mark_as_distributionlist', { kind: 'boolean', sql: 'a.is_list' }],
  ['distribution_list', { kind: 'list', matches: memberMatches, isNull: 'not a.is_list' }],
]);
