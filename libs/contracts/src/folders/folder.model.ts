import { Field } from '../kit';
import { CommonObject } from '../objects/common-object.model';

/** One entry of a permission list. */
export class FolderPermission {
  @Field.int({ doc: 'Rights as one number, see FOLDER_RIGHTS', optional: true, min: 0 }) bits?: number;
  @Field.int({ doc: 'User or group id', optional: true, min: 0 }) entity?: number;
  @Field.boolean({ doc: 'The entity is a group', optional: true }) group?: boolean;
  @Field.text({
    doc: 'user, group, guest or anonymous',
    optional: true,
    values: ['user', 'group', 'guest', 'anonymous'],
  })
  type?: string;
}

/** A folder (column table "Folder data"). */
export class FolderData extends CommonObject {
  @Field.text({ column: 300, doc: 'Name', optional: true, maxLength: 4096 }) title?: string;
  @Field.text({ column: 301, doc: 'Module of the objects inside', optional: true, maxLength: 64 }) module?: string;
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
  @Field.int({ column: 309, doc: 'Number of objects; -1 unknown', optional: true, readOnly: true }) total?: number;
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
  @Field.text({ column: 3203, name: 'com.openexchange.calendar.provider', doc: 'Calendar provider', optional: true })
  calendarProvider?: string;
}
