import { Field } from '../kit';
import { CommonObject } from '../objects/common-object.model';

/** One entry of a permission list. */
export class FolderPermission {
  @Field.number({ doc: 'Rights as one number, see FOLDER_RIGHTS', optional: true }) bits?: number;
  @Field.text({
    doc: 'Of mail folders: the rights as letters of RFC 2086',
    optional: true,
    readOnly: true,
  })
  rights?: string;
  @Field.int({ doc: 'User or group id', optional: true, min: 0 }) entity?: number;
  @Field.boolean({ doc: 'The entity is a group', optional: true }) group?: boolean;
  @Field.text({
    doc: 'user, group, guest or anonymous',
    optional: true,
    values: ['user', 'group', 'guest', 'anonymous'],
  })
  type?: string;
  @Field.text({
    doc: 'Pin of a link; answered by `get` to who may share the folder',
    optional: true,
    minLength: 1,
    maxLength: 1024,
  })
  password?: string | null;
  @Field.text({ doc: 'Mail address of a guest', optional: true, maxLength: 1024 }) email_address?: string;
  @Field.text({ doc: 'Name of a guest', optional: true, maxLength: 1024 }) display_name?: string;
  @Field.text({
    doc: 'Contact from which a guest was chosen; with contact_folder, told to who invited',
    optional: true,
    maxLength: 64,
  })
  contact_id?: string;
  @Field.text({ doc: 'Folder of that contact', optional: true, maxLength: 64 }) contact_folder?: string;
  @Field.time({ doc: 'When the rights of a guest end; answered among the extended permissions', optional: true })
  expiry_date?: number | null;
  @Field.boolean({ doc: 'The entry of a link to a folder above', optional: true, readOnly: true })
  isInherited?: boolean;
}

/** A folder (column table "Folder data"). */
export class FolderData extends CommonObject {
  @Field.text({ column: 300, doc: 'Name', optional: true, maxLength: 4096 }) title?: string;
  @Field.id({ column: 301, doc: 'Module of the objects inside, by name or number', optional: true }) module?: string;
  @Field.int({ column: 302, doc: '1 private, 2 public, 3 shared, 5 system; fixed when created', optional: true })
  type?: number;
  @Field.boolean({ column: 304, doc: 'Has visible subfolders', optional: true, readOnly: true }) subfolders?: boolean;
  @Field.int({ column: 305, doc: 'Rights of the user, same layout as bits', optional: true, readOnly: true })
  own_rights?: number;
  @Field.list(() => FolderPermission, { column: 306, doc: 'Permission list', optional: true, maxItems: 1000 })
  permissions?: FolderPermission[];
  @Field.text({ column: 307, doc: 'Summary of the content', optional: true, readOnly: true }) summary?: string;
  @Field.boolean({ column: 308, doc: 'Default folder of its module', optional: true, readOnly: true })
  standard_folder?: boolean;
  @Field.int({
    column: 309,
    doc: 'Number of objects that the user may read; null: unknown',
    optional: true,
    readOnly: true,
  })
  total?: number;
  @Field.int({ column: 310, doc: 'New objects (mail)', optional: true, readOnly: true }) new?: number;
  @Field.int({ column: 311, doc: 'Unread objects (mail)', optional: true, readOnly: true }) unread?: number;
  @Field.int({ column: 312, doc: 'Deleted objects (mail)', optional: true, readOnly: true }) deleted?: number;
  @Field.int({ column: 313, doc: 'Capabilities (mail)', optional: true, readOnly: true }) capabilities?: number;
  @Field.boolean({ column: 314, doc: 'Subscribed: shown in folder lists', optional: true }) subscribed?: boolean;
  @Field.boolean({ column: 315, doc: 'Has subscribed subfolders', optional: true, readOnly: true })
  subscr_subflds?: boolean;
  @Field.int({ column: 316, doc: '0 none, 1 task, 2 calendar, 3 contact …', optional: true, readOnly: true })
  standard_folder_type?: number;
  @Field.listOf('text', { column: 317, doc: 'Names of capabilities', optional: true, readOnly: true })
  supported_capabilities?: string[];
  @Field.text({ column: 318, doc: 'Account', optional: true, readOnly: true }) account_id?: string;
  @Field.text({ column: 319, doc: 'Raw name', optional: true, readOnly: true }) folder_name?: string;
  @Field.text({
    column: 3030,
    name: 'com.openexchange.folderstorage.displayName',
    doc: 'Display name of the owner',
    optional: true,
    readOnly: true,
  })
  ownerDisplayName?: string;
  @Field.boolean({
    column: 3050,
    name: 'com.openexchange.share.isShared',
    doc: 'Others have rights on it',
    optional: true,
    readOnly: true,
  })
  isShared?: boolean;
  @Field.any({
    column: 3060,
    name: 'com.openexchange.share.extendedPermissions',
    doc: 'Permissions with names',
    optional: true,
    readOnly: true,
  })
  extendedPermissions?: unknown;
  @Field.any({
    column: 3201,
    name: 'com.openexchange.calendar.extendedProperties',
    doc: 'Colour, description and the like',
    optional: true,
  })
  calendarExtendedProperties?: unknown;
  @Field.text({
    column: 3203,
    name: 'com.openexchange.calendar.provider',
    doc: 'Calendar provider',
    optional: true,
    maxLength: 64,
  })
  calendarProvider?: string;
  @Field.any({
    column: 23,
    doc: 'Data of clients about the folder, seen by all who see it; merged by key',
    optional: true,
  })
  meta?: unknown;
  @Field.any({ column: 51, doc: 'Who created it: entity, type, name', optional: true, readOnly: true })
  created_from?: unknown;
  @Field.any({ column: 52, doc: 'Who changed it last', optional: true, readOnly: true }) modified_from?: unknown;
  @Field.text({ column: 320, doc: 'Path before a move to the trash', optional: true, readOnly: true }) origin?: string;
  @Field.any({
    column: 321,
    doc: 'Whether other devices of the user synchronize it: `{value, protected}`, the value as text',
    optional: true,
  })
  used_for_sync?: unknown;
  @Field.boolean({
    column: 3010,
    name: 'com.openexchange.publish.publicationFlag',
    doc: 'Is published; never',
    optional: true,
    readOnly: true,
  })
  publicationFlag?: boolean;
  @Field.boolean({
    column: 3020,
    name: 'com.openexchange.subscribe.subscriptionFlag',
    doc: 'Is filled from outside; never',
    optional: true,
    readOnly: true,
  })
  subscriptionFlag?: boolean;
  @Field.any({
    column: 3031,
    name: 'com.openexchange.folderstorage.accountError',
    doc: 'Why the account of the folder cannot be reached',
    optional: true,
    readOnly: true,
  })
  accountError?: unknown;
  @Field.any({
    column: 3204,
    name: 'com.openexchange.calendar.accountError',
    doc: 'Why the calendar account cannot be reached',
    optional: true,
    readOnly: true,
  })
  calendarAccountError?: unknown;
  @Field.any({
    column: 3205,
    name: 'com.openexchange.calendar.config',
    doc: 'Settings of a calendar elsewhere: `{uri, refreshInterval, login, password}`, the password never in answers',
    optional: true,
  })
  calendarConfig?: unknown;
  @Field.text({
    column: 3220,
    name: 'com.openexchange.caldav.url',
    doc: 'Address for CalDAV clients',
    optional: true,
    readOnly: true,
  })
  caldavUrl?: string;
  @Field.any({
    column: 3301,
    name: 'com.openexchange.contacts.extendedProperties',
    doc: 'Free attributes of address books',
    optional: true,
    readOnly: true,
  })
  contactsExtendedProperties?: unknown;
}
