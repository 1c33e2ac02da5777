import { Field } from '../kit';
import { CommonObject } from '../objects/common-object.model';

/** Longest texts of a document in characters, by field. */
export const DOCUMENT_TEXT_LIMITS = {
  title: 767,
  filename: 255,
  url: 4096,
  description: 262_144,
  version_comment: 65_535,
  categories: 255,
  file_mimetype: 255,
} as const;
const text = { optional: true, maxLength: 2 * DOCUMENT_TEXT_LIMITS.description } as const;

/** Rights of a user, group or guest on one document. */
export class DocumentPermission {
  @Field.int({ doc: 'User, group or guest; absent for those who are invited now', optional: true, min: 0 })
  entity?: number;
  @Field.boolean({ doc: 'The entity is a group', optional: true }) group?: boolean;
  @Field.int({ doc: '0 nothing, 1 read, 2 read and write', optional: true, min: 0, max: 127 }) bits?: number;
  @Field.text({
    doc: 'Of an entry without entity: `guest`, a person to invite, or `anonymous`, the link of the document',
    optional: true,
    maxLength: 32,
  })
  type?: string;
  @Field.text({ doc: 'Mail address of a person to invite', optional: true, maxLength: 320 }) email_address?: string;
  @Field.text({ doc: 'Name of that person', optional: true, maxLength: 256 }) display_name?: string;
  @Field.text({
    doc: 'Contact from which a guest was chosen; with contact_folder, told to who invited',
    optional: true,
    maxLength: 64,
  })
  contact_id?: string;
  @Field.text({ doc: 'Folder of that contact', optional: true, maxLength: 64 }) contact_folder?: string;
  @Field.text({
    doc: 'Pin of a link, null for none; answered to who may share the document',
    optional: true,
    minLength: 1,
    maxLength: 4096,
  })
  password?: string | null;
  @Field.time({ doc: 'When a link ends, null for never; answered among the extended permissions', optional: true })
  expiry_date?: number | null;
}

/** A document (column table "Infostore items"): a file with versions, or a note or bookmark without one. */
export class DocumentData extends CommonObject {
  @Field.any({ column: 23, doc: 'Data of clients: an object, stored as it is', optional: true }) meta?: unknown;
  @Field.text({ column: 100, doc: 'Categories, separated by commas', ...text }) categories?: string;
  @Field.int({ column: 102, doc: 'Colour, 0 to 10', optional: true, min: 0, max: 10 }) color_label?: number;
  @Field.int({ column: 104, doc: 'Files on the document: it has none', optional: true, readOnly: true })
  number_of_attachments?: number;
  @Field.list(() => DocumentPermission, {
    column: 108,
    doc: 'With whom the document itself is shared; in bodies the whole new state',
    optional: true,
  })
  object_permissions?: DocumentPermission[];
  @Field.boolean({ column: 109, doc: 'The user may share the document', optional: true, readOnly: true })
  shareable?: boolean;
  @Field.text({ column: 700, doc: 'Title; default: the file name', ...text }) title?: string;
  @Field.text({ column: 701, doc: 'Address of a bookmark', ...text }) url?: string;
  @Field.text({ column: 702, doc: 'File name', ...text }) filename?: string;
  @Field.text({ column: 703, doc: 'Media type; default: that of the upload, or by the name', ...text })
  file_mimetype?: string;
  @Field.number({ column: 704, doc: 'Bytes of the version', optional: true, readOnly: true }) file_size?: number;
  @Field.id({ column: 705, doc: 'Version; in updates the one that becomes the current one', optional: true })
  version?: string;
  @Field.text({ column: 706, doc: 'Description', ...text }) description?: string;
  @Field.time({ column: 707, doc: 'End of the lock; 0 when it is free', optional: true, readOnly: true })
  locked_until?: number;
  @Field.text({ column: 708, doc: 'MD5 of the bytes, lower-case hex', optional: true, readOnly: true })
  file_md5sum?: string;
  @Field.text({ column: 709, doc: 'Comment on the version', ...text }) version_comment?: string;
  @Field.boolean({ column: 710, doc: 'It is the current version', optional: true, readOnly: true })
  current_version?: boolean;
  @Field.int({ column: 711, doc: 'Number of versions; 0 without file', optional: true, readOnly: true })
  number_of_versions?: number;
  @Field.text({ column: 712, doc: 'In the trash: names of the folders where it was', optional: true, readOnly: true })
  origin?: string;
  @Field.time({ column: 713, doc: 'Of a picture: when it was taken', optional: true, readOnly: true })
  capture_date?: number;
  @Field.text({ column: 714, doc: 'Of a picture: latitude,longitude in degrees', optional: true, readOnly: true })
  geolocation?: string;
  @Field.int({ column: 715, doc: 'Of a picture, upright', optional: true, readOnly: true }) width?: number;
  @Field.int({ column: 716, doc: 'Of a picture, upright', optional: true, readOnly: true }) height?: number;
  @Field.text({ column: 717, doc: 'Of a picture: the camera', optional: true, readOnly: true }) camera_model?: string;
  @Field.int({ column: 718, doc: 'Of a picture', optional: true, readOnly: true }) camera_iso_speed?: number;
  @Field.text({ column: 719, doc: 'Of a picture: f-number', optional: true, readOnly: true }) camera_aperture?: string;
  @Field.text({ column: 720, doc: 'Of a picture, s', optional: true, readOnly: true }) camera_exposure_time?: string;
  @Field.text({ column: 721, doc: 'Of a picture, mm', optional: true, readOnly: true }) camera_focal_length?: string;
  @Field.any({
    column: 722,
    doc: 'Of a picture: all that was read of what it says about itself',
    optional: true,
    readOnly: true,
  })
  media_meta?: unknown;
  @Field.text({
    column: 723,
    doc: 'Of a picture, whether the values from 713 on could be read: done_success or done_with_error',
    optional: true,
    readOnly: true,
  })
  media_status?: string;
  @Field.time({ column: 724, doc: 'Of a picture: when it was taken, else stored', optional: true, readOnly: true })
  media_date?: number;
  @Field.any({
    column: 7010,
    name: 'com.openexchange.share.extendedObjectPermissions',
    doc: 'With whom the document itself is shared, with names, for those who may share it; addresses of links in `get` and `shares`',
    optional: true,
    readOnly: true,
  })
  extendedObjectPermissions?: unknown;
  @Field.timestamp({ column: 751, doc: 'As last_modified_utc', optional: true, readOnly: true })
  sequence_number?: number;
}
