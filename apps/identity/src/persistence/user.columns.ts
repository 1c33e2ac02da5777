import { fieldsOf, PersonData, UserData, type UserContactFigures } from '@groupware/contracts';
import { columnsOf, type ColumnSql } from '@groupware/persistence';

/** Shifts a time to the reader's zone, which is parameter 2 of all statements with these columns. */
const toReaderZone = (column: string): string =>
  `(${column} + (1000 * date_part('epoch', (to_timestamp(${column} / 1000.0) at time zone $2) - (to_timestamp(${column} / 1000.0) at time zone 'UTC')))::bigint)`;

const STORED: Readonly<Partial<Record<keyof PersonData, string>>> = {
  display_name: 'u.display_name',
  first_name: 'u.given_name',
  last_name: 'u.surname',
  email1: 'u.primary_email',
};

/** Fields of the person that have no column of their own lie in one JSON column under their wire names. */
const person = Object.fromEntries(
  fieldsOf(PersonData).map((field) => [
    field.property,
    STORED[field.property as keyof PersonData] ??
      (field.type === 'date' ? `(u.person->>'${field.wireName}')::bigint` : `u.person->>'${field.wireName}'`),
  ]),
) as unknown as ColumnSql<PersonData>;

/** Selects an expression from the user's picture; null without one. */
const selectFromImage = (expression: string): string =>
  `(select ${expression} from user_image i where i.context_id = u.context_id and i.user_id = u.user_id)`;

/** Selects a figure of the contact of the user; null while the contacts do not answer. */
const selectFigure = (name: keyof UserContactFigures, none: string): string =>
  `case when $5::jsonb is not null then coalesce(($5::jsonb->u.user_id::text->>'${name}')::bigint, ${none}) end`;

/** The address book of all users. */
const USERS_FOLDER = 6;

/**
 * SQL of the fields of a user. `$1` is the context, `$2` the time zone of the reader, `$4` the base path of addresses, `$5` what
 * the contacts of users know, by id of the user.
 */
export const userColumns = columnsOf(UserData, {
  ...person,
  id: 'u.user_id::text',
  created_by: 'u.created_by::text',
  modified_by: 'u.changed_by::text',
  creation_date: toReaderZone('u.created_at'),
  // A timestamp, not a time: no zone shifts it.
  last_modified: 'u.changed_at',
  last_modified_utc: 'u.changed_at',
  folder_id: `'${USERS_FOLDER}'`,
  categories: `u.person->>'categories'`,
  private_flag: 'false',
  color_label: `coalesce((u.person->>'color_label')::int, 0)`,
  number_of_attachments: selectFigure('attachments', '0'),
  lastModifiedOfNewestAttachmentUTC: selectFigure('newest', 'null'),
  image1: null,
  number_of_links_list: null,
  distribution_list: null,
  context_id: null,
  number_of_links: null,
  image_last_modified: selectFromImage(toReaderZone('i.changed_at')),
  image1_content_type: selectFromImage('i.content_type'),
  image1_url: selectFromImage(`$4::text || '/image/user/picture?id=' || i.user_id || '&timestamp=' || i.changed_at`),
  special_sorting: null,
  useCountGlobalFirst: null,
  uid: 'u.uid::text',
  user_id: 'u.user_id',
  number_of_distribution_list: '0',
  number_of_images: selectFromImage('count(*)::int'),
  mark_as_distributionlist: 'false',
  default_address: `(u.person->>'default_address')::int`,
  useCount: selectFigure('uses', '0'),
  aliases:
    '(select json_agg(m.spelled order by m.position) from mail_address m where m.context_id = u.context_id and m.entity_id = u.user_id)',
  timezone: 'u.time_zone',
  locale: 'u.locale',
  groups:
    '(select json_agg(g.id order by g.id) from (select 0 as id union select s.group_id from membership s where s.context_id = u.context_id and s.user_id = u.user_id) g)',
  // As `contactIdOfUser` says.
  contact_id: '(2 * u.user_id)::text',
  login_info: 'u.name',
  guest_created_by: '0',
});

/** Columns of other users that people without the global address book may see. */
export const PUBLIC_COLUMNS: ReadonlySet<string> = new Set([
  'id',
  'user_id',
  'display_name',
  'first_name',
  'last_name',
  'second_name',
  'suffix',
  'guest_created_by',
]);
