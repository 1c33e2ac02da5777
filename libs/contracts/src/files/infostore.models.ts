import { Field } from '../kit';
import { ROW_LIMIT } from '../objects/row-range';
import { PictureQuery } from '../pictures';
import { DocumentData } from './document.model';

/** Most objects that one request names. */
export const MAX_NAMED_DOCUMENTS = 10_000;

/** The zone of a request. */
export class FileZoneQuery {
  @Field.text({ doc: 'Zone of times; default: the zone of the user', optional: true, maxLength: 128 })
  timezone?: string;
}

/** Columns of an answer. */
export class FileColumnsQuery extends FileZoneQuery {
  @Field.columns({ doc: 'Column numbers or names of the answer; default: all', optional: true }) columns?: string[];
  @Field.boolean({ doc: 'Has no effect: previews are made when they are asked for', optional: true })
  pregenerate_previews?: boolean;
}

/** Columns and order of a list. */
export class FileOrderQuery extends FileColumnsQuery {
  @Field.text({ doc: 'Column to sort by; default: by id', optional: true, maxLength: 64 }) sort?: string;
  @Field.text({
    doc: 'asc (default), documents without value first, or desc',
    optional: true,
    values: ['asc', 'desc', 'ASC', 'DESC'],
  })
  order?: string;
}

/** The documents of a folder. */
export class FileAllQuery extends FileOrderQuery {
  @Field.id({ doc: 'Folder' }) folder!: string;
  @Field.int({ doc: 'First row wanted, from 0', optional: true, min: 0 }) left_hand_limit?: number;
  @Field.int({ doc: 'Row after the last one wanted', optional: true, min: 0 }) right_hand_limit?: number;
  @Field.text(ROW_LIMIT) limit?: string;
}

/** One document. */
export class DocumentIdQuery {
  @Field.id({ doc: 'Document: <folder>/<number>, or the number' }) id!: string;
}

/** One document in a folder. */
export class DocumentInFolderQuery extends DocumentIdQuery {
  @Field.id({ doc: 'Folder in which the user sees it; a hint', optional: true }) folder?: string;
}

/** A version of a document. */
export class DocumentVersionQuery extends DocumentInFolderQuery {
  @Field.id({ doc: 'Version; default: the current one', optional: true }) version?: string;
}

/** One document, or a version of it. */
export class DocumentQuery extends DocumentVersionQuery {
  @Field.text({ doc: 'Zone of times; default: the zone of the user', optional: true, maxLength: 128 })
  timezone?: string;
}

/** Names a document, or without id a folder. */
export class DocumentReference {
  @Field.id({ doc: 'Document: <folder>/<number>, or the number', optional: true }) id?: string;
  @Field.id({ doc: 'Folder in which the user sees it', optional: true }) folder?: string;
}

/** A request for the changes of a folder. */
export class FileUpdatesQuery extends FileOrderQuery {
  @Field.id({ doc: 'Folder' }) folder!: string;
  @Field.timestamp({ doc: 'Stamp of the newest change that the client knows; default: 0', optional: true })
  timestamp?: number;
  @Field.text({ doc: 'deleted: the ids of documents that are gone are left out', optional: true, maxLength: 64 })
  ignore?: string;
}

/** The versions of a document. */
export class FileVersionsQuery extends FileOrderQuery {
  @Field.id({ doc: 'Document' }) id!: string;
  @Field.id({ doc: 'Folder in which the user sees it; a hint', optional: true }) folder?: string;
}

/** Place of a search, and the rows wanted. */
export class FileSearchQuery extends FileOrderQuery {
  @Field.id({ doc: 'Folder; default: all that the user may read, without the trash', optional: true }) folder?: string;
  @Field.boolean({ doc: 'The folders below it, too', optional: true }) includeSubfolders?: boolean;
  @Field.int({ doc: 'First row wanted, from 0', optional: true, min: 0 }) start?: number;
  @Field.int({ doc: 'Last row wanted', optional: true, min: 0 }) end?: number;
  @Field.int({ doc: 'Most rows wanted; only without start', optional: true, min: 0 }) limit?: number;
}

/** Text to search for. */
export class FileSearchBody {
  @Field.text({
    doc: 'Anywhere in title, name, description, address, categories or comment; `*` any text, `?` one character; empty: all',
    optional: true,
    maxLength: 1024,
  })
  pattern?: string;
}

/** A name to check. */
export class FileNameQuery {
  @Field.text({ doc: 'Name of a file', minLength: 1, maxLength: 4096 }) name!: string;
}

/** How to tell those with whom a document is shared. */
export class FileNotification {
  @Field.text({ doc: 'How: by mail', optional: true, values: ['mail'] }) transport?: string;
  @Field.text({ doc: 'Text of the mail', optional: true, maxLength: 10_000 }) message?: string;
}

/** A document to write: its fields, or below `file`. */
export class DocumentBody extends DocumentData {
  @Field.object(() => DocumentData, { doc: 'The fields, instead of beside', optional: true, writeOnly: true })
  file?: DocumentData;
  @Field.object(() => FileNotification, {
    doc: 'Tells those who get rights on the document: users, groups and guests',
    optional: true,
    writeOnly: true,
  })
  notification?: FileNotification;
}

/** A document to create, perhaps with a text as its content. */
export class NewDocumentBody extends DocumentBody {
  @Field.text({ doc: 'Content of the file', optional: true, writeOnly: true, maxLength: 1_048_576 }) content?: string;
}

/** How to create a document. */
export class NewDocumentQuery {
  @Field.id({ doc: 'Has no effect: the document is new', optional: true }) id?: string;
  @Field.timestamp({ doc: 'Has no effect: the document is new', optional: true }) timestamp?: number;
  @Field.boolean({ doc: 'A file of this name gets a version', optional: true }) try_add_version?: boolean;
  @Field.boolean({ doc: 'The same, as newer clients write it', optional: true }) tryAddVersion?: boolean;
  @Field.boolean({ doc: 'The answer is the object with save_action', optional: true }) extendedResponse?: boolean;
}

const ignoreWarnings = Field.boolean({
  doc: 'Also when another storage does not keep everything; else the warnings tell what would be lost',
  optional: true,
});

/** Which document to change. */
export class DocumentUpdateQuery extends DocumentIdQuery {
  @ignoreWarnings ignoreWarnings?: boolean;
  @Field.timestamp({ doc: 'Timestamp of the document as the client knows it' }) timestamp!: number;
  @Field.text({ doc: 'Zone of the ends of links; default: the zone of the user', optional: true, maxLength: 128 })
  timezone?: string;
  @Field.boolean({ doc: 'The answer is the object with save_action', optional: true }) extendedResponse?: boolean;
}

const offset = Field.int({
  doc: 'Bytes that the document has: the file continues them, and no version is made; else FLS-0019',
  optional: true,
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
});

/** Which document gets a file. */
export class DocumentFileUpdateQuery extends DocumentUpdateQuery {
  @offset offset?: number;
  @Field.boolean({ doc: 'The content of the current version is replaced', optional: true }) ignoreVersion?: boolean;
}

/** Documents to copy: one by `id`, or those of the body into `folder`. */
export class DocumentCopyQuery {
  @Field.id({ doc: 'Document', optional: true }) id?: string;
  @Field.id({ doc: 'Version; default: the current one', optional: true }) version?: string;
  @Field.id({ doc: 'Folder that takes several copies', optional: true }) folder?: string;
}

/** A document to copy, or what is different of a copy. */
export class DocumentCopyBody extends DocumentBody {
  @Field.id({ doc: 'Folder in which the user sees the document', optional: true, writeOnly: true }) folder?: string;
}

/** A document to copy with another file. */
export class DocumentFileCopyQuery extends DocumentIdQuery {
  @Field.id({ doc: 'Version; default: the current one', optional: true }) version?: string;
}

/** The attachment of an object that becomes a document. */
export class DocumentSourceQuery {
  @Field.int({ doc: 'Object', min: 0 }) attached!: number;
  @Field.int({ doc: 'Folder through which the user sees the object', min: 0 }) folder!: number;
  @Field.int({ doc: '1 appointment, 4 task, 7 contact', min: 0 }) module!: number;
  @Field.int({ doc: 'Attachment', min: 0 }) attachment!: number;
  @Field.boolean({ doc: 'Scan for viruses before', optional: true }) scan?: boolean;
}

/** Target folder of documents to move. */
export class FileMoveQuery {
  @ignoreWarnings ignoreWarnings?: boolean;
  @Field.id({ doc: 'Folder that takes them' }) folder!: string;
  @Field.boolean({ doc: 'false: names that are taken are not numbered; such documents stay', optional: true })
  autorename?: boolean;
}

/** A document to move. */
export class DocumentMoveQuery {
  @ignoreWarnings ignoreWarnings?: boolean;
  @Field.id({ doc: 'Document' }) id!: string;
  @Field.id({ doc: 'Folder that takes it' }) folder!: string;
  @Field.timestamp({ doc: 'Timestamp of the document as the client knows it' }) timestamp!: number;
}

/** How to delete documents. */
export class DocumentDeletionQuery {
  @Field.timestamp({ doc: 'Documents changed later are not deleted' }) timestamp!: number;
  @Field.boolean({ doc: 'Not into the trash', optional: true }) hardDelete?: boolean;
}

/** A document with versions to remove. */
export class VersionsRemovalQuery extends DocumentInFolderQuery {
  @Field.timestamp({ doc: 'Timestamp of the document as the client knows it' }) timestamp!: number;
}

/** A document to lock. */
export class DocumentLockQuery extends DocumentIdQuery {
  @Field.int({
    doc: 'Length of the lock, ms; default: as the server is set',
    optional: true,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  })
  diff?: number;
}

/** A file as the whole body. */
export class FileUploadQuery {
  @Field.id({ doc: 'Folder', optional: true }) folder_id?: string;
  @Field.text({ doc: 'File name', optional: true, maxLength: 4096 }) filename?: string;
  @Field.id({ doc: 'Document that gets a version', optional: true }) id?: string;
  @offset offset?: number;
  @Field.timestamp({ doc: 'Timestamp of that document; default: any', optional: true }) timestamp?: number;
  @Field.text({ doc: 'As in an object', optional: true }) title?: string;
  @Field.text({ doc: 'As in an object', optional: true, maxLength: 1024 }) file_mimetype?: string;
  @Field.text({ doc: 'As in an object', optional: true }) description?: string;
  @Field.text({ doc: 'As in an object', optional: true, maxLength: 8192 }) url?: string;
  @Field.text({ doc: 'As in an object', optional: true }) version_comment?: string;
  @Field.text({ doc: 'As in an object', optional: true, maxLength: 1024 }) categories?: string;
  @Field.int({ doc: 'As in an object', optional: true, min: 0, max: 10 }) color_label?: number;
  @Field.text({ doc: 'As in an object, as JSON', optional: true, maxLength: 65_536 }) meta?: string;
  @Field.text({ doc: 'MD5 of the file as a whole, hex digits: other bytes are refused', optional: true, maxLength: 64 })
  file_md5sum?: string;
  @Field.int({
    doc: 'Has no effect: the bytes of the body count',
    optional: true,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  })
  file_size?: number;
  @Field.boolean({ doc: 'A file of this name gets a version', optional: true }) try_add_version?: boolean;
  @Field.boolean({ doc: 'The same, as newer clients write it', optional: true }) tryAddVersion?: boolean;
  @ignoreWarnings ignoreWarnings?: boolean;
  @Field.boolean({ doc: 'The answer is the object with save_action', optional: true }) extendedResponse?: boolean;
}

/** Which bytes are wanted, and how. */
export class FileContentQuery extends PictureQuery {
  @Field.id({ doc: 'Document: <folder>/<number>, or the number' }) id!: string;
  @Field.id({ doc: 'Folder in which the user sees it; a hint', optional: true }) folder?: string;
  @Field.id({ doc: 'Version; default: the current one', optional: true }) version?: string;
  @Field.text({
    doc: 'preview_image: a picture to look at, thumbnail_image: a small one, by default within 200 by 150; of other files, and for other values, the file',
    optional: true,
    maxLength: 64,
  })
  format?: string;
  @Field.text({ doc: 'download, or view: inline where that is safe', optional: true, maxLength: 32 }) delivery?: string;
  @Field.text({ doc: 'Type of the answer, where the file has it', optional: true, maxLength: 255 })
  content_type?: string;
  @Field.text({ doc: 'inline or attachment', optional: true, maxLength: 32 }) content_disposition?: string;
  @Field.int({ doc: 'First byte wanted', optional: true, max: Number.MAX_SAFE_INTEGER }) off?: number;
  @Field.int({ doc: 'Most bytes wanted', optional: true, max: Number.MAX_SAFE_INTEGER }) len?: number;
  @Field.boolean({ doc: 'Scan for viruses before', optional: true }) scan?: boolean;
  @Field.text({ doc: 'Refused: documents are not encrypted', optional: true, maxLength: 64 }) cryptoAction?: string;
}

/** Source of an archive: a document, or without id a folder with all below it. */
export class ArchivedReference extends DocumentReference {
  @Field.id({ doc: 'Version; default: the current one', optional: true }) version?: string;
}

/** How to make an archive. */
export class ArchiveQuery {
  @Field.boolean({ doc: 'Scan all files for viruses before', optional: true }) scan?: boolean;
}

/** A folder to make an archive of. */
export class FolderArchiveQuery extends ArchiveQuery {
  @Field.id({ doc: 'Folder' }) folder!: string;
  @Field.boolean({ doc: 'With all folders below it', optional: true }) recursive?: boolean;
}

/** A document that was restored, and where it is: its folder, and those above it. */
export interface RestoredDocument {
  /** As the client named it. */
  readonly id: string;
  readonly path: readonly { readonly id: string; readonly title: string }[];
}

/** Recipients and form of a notice about a document. */
export class FileNotifyBody {
  @Field.listOf('id', { doc: 'Users, groups and guests with whom it is shared by itself', maxItems: 1000 })
  entities!: string[];
  @Field.object(() => FileNotification, { doc: 'How to tell them; default: by mail', optional: true })
  notification?: FileNotification;
}

/** Result of `notify`. */
export interface DocumentNotified {
  readonly warnings: readonly object[];
}

/** Action of a write beside what was asked for. */
export type SaveAction = 'none' | 'rename' | 'new_version';
