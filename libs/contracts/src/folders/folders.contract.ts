import { action, defineModule, Field, json, jsonListOf, one, requireRights, rows, value } from '../kit';
import { FolderData } from './folder.model';
import { CalendarErrors } from '../calendar/calendar.errors';
import { FeedErrors, ofFeed } from '../chronos/chronos-accounts.contract';
import { FileStorageErrors } from '../files/file-storage.errors';
import { QuotaErrors } from '../quota/quota.errors';
import { ShareErrors } from '../share/share.errors';
import { FolderErrors, UploadLimitErrors } from './folder.errors';
import { PlannedFile } from './folder-owner.models';
import { FOLDER_RIGHTS } from './folder.access';
import { ofFolderTransfer, TRANSFER_DEADLINE_MS } from './folder-transfer';

/** Parameters of all folder calls. */
export class FolderTreeQuery {
  @Field.text({ doc: '0 the whole tree, 1 the flat tree', optional: true, maxLength: 64 }) tree?: string;
}

/** Parameters of calls that name modules. */
export class FolderModulesQuery extends FolderTreeQuery {
  @Field.text({ doc: 'Comma list of modules whose folders count; default: all', optional: true, maxLength: 256 })
  allowed_modules?: string;
}

/** How folders are shown. */
export class FolderViewQuery extends FolderModulesQuery {
  @Field.text({ doc: 'Locale of names; default: that of the user', optional: true, maxLength: 64 }) language?: string;
  @Field.text({ doc: 'Zone of times; default: that of the user', optional: true, maxLength: 128 }) timezone?: string;
  @Field.boolean({ doc: 'Shorter names of the folders at the top', optional: true }) altNames?: boolean;
}

/** Columns of folder rows. */
export class FolderColumnsQuery extends FolderViewQuery {
  @Field.columns({ doc: 'Column numbers of the answer' }) columns!: string[];
}

/** Folders below one. */
export class FolderListQuery extends FolderColumnsQuery {
  @Field.text({ doc: 'Parent', maxLength: 1024, minLength: 1 }) parent!: string;
  @Field.boolean({ doc: 'Also the ones that are not subscribed (0 or 1)', optional: true }) all?: boolean;
  @Field.boolean({ doc: 'Refuse when two names are equal', optional: true }) errorOnDuplicateName?: boolean;
}

/** Folders by id. */
export class FolderPathQuery extends FolderColumnsQuery {
  @Field.text({ doc: 'Folder', maxLength: 1024, minLength: 1 }) id!: string;
}

/** One folder. */
export class FolderQuery extends FolderViewQuery {
  @Field.text({ doc: 'Folder', maxLength: 1024, minLength: 1 }) id!: string;
}

/** Folder to tell users and groups about. */
export class FolderNotifyQuery extends FolderTreeQuery {
  @Field.text({ doc: 'Folder', maxLength: 1024, minLength: 1 }) id!: string;
}

/** All folders of a module. */
export class FolderVisibleQuery extends FolderColumnsQuery {
  @Field.text({ doc: 'Module, by name or number', maxLength: 64, minLength: 1 }) content_type!: string;
  @Field.boolean({ doc: 'Also the ones that are not subscribed', optional: true }) all?: boolean;
}

/** Query for changes below a folder. */
export class FolderUpdatesQuery extends FolderColumnsQuery {
  @Field.text({ doc: 'Only rows of the folders below this one', optional: true, maxLength: 1024, minLength: 1 })
  parent?: string;
  @Field.timestamp({ doc: 'Changes after this timestamp of an earlier answer' }) timestamp!: number;
  @Field.text({ doc: '`deleted`: only new and changed folders', optional: true, maxLength: 64 }) ignore?: string;
  @Field.boolean({ doc: 'Also the ones that are not subscribed (0 or 1)', optional: true }) all?: boolean;
}

/** Several folders to clear. */
export class FolderClearQuery extends FolderModulesQuery {
  @Field.boolean({ doc: 'Not into the trash', optional: true }) hardDelete?: boolean;
  @Field.text({ doc: 'Client that need not be told', optional: true, maxLength: 1024 }) pushToken?: string;
}

/** Several folders to restore. */
export class FolderRestoreQuery extends FolderViewQuery {
  @Field.text({ doc: 'Client that need not be told', optional: true, maxLength: 1024 }) pushToken?: string;
}

/** Files that are to be stored in a folder. */
export class FolderLimitsQuery {
  @Field.text({ doc: 'Folder', maxLength: 1024, minLength: 1 }) id!: string;
  @Field.text({ doc: 'Kind of limits: filestorage', maxLength: 64, minLength: 1 }) type!: string;
}

/** Place of a new folder. */
export class FolderCreationQuery extends FolderModulesQuery {
  @Field.text({ doc: 'Parent', maxLength: 1024, minLength: 1 }) folder_id!: string;
  @Field.boolean({ doc: 'Number the name when it is taken', optional: true }) autorename?: boolean;
  @Field.text({ doc: 'Client that need not be told', optional: true, maxLength: 1024 }) pushToken?: string;
}

/** Folder to change, and how. */
export class FolderUpdateQuery extends FolderQuery {
  @Field.timestamp({ doc: 'Timestamp of the folder as the client knows it', optional: true }) timestamp?: number;
  @Field.boolean({ doc: 'Give all folders below it the same permissions', optional: true })
  cascadePermissions?: boolean;
  @Field.boolean({ doc: 'Number the name when it is taken', optional: true }) autorename?: boolean;
  @Field.boolean({
    doc: 'Also when another storage does not keep everything; else the warnings tell what would be lost',
    optional: true,
  })
  ignoreWarnings?: boolean;
  @Field.boolean({ doc: 'The answer may come later', optional: true }) allow_enqueue?: boolean;
  @Field.text({ doc: 'Client that need not be told', optional: true, maxLength: 1024 }) pushToken?: string;
}

/** How to delete. */
export class FolderDeletionQuery extends FolderViewQuery {
  @Field.timestamp({ doc: 'Folders changed later stay', optional: true }) timestamp?: number;
  @Field.boolean({ doc: 'Not into the trash', optional: true }) hardDelete?: boolean;
  @Field.boolean({ doc: 'Answer an error when a folder stays; the others are deleted all the same', optional: true })
  failOnError?: boolean;
  @Field.boolean({ doc: 'Answer objects instead of ids', optional: true }) extendedResponse?: boolean;
  @Field.text({ doc: 'Client that need not be told', optional: true, maxLength: 1024 }) pushToken?: string;
}

/** Mail to those who got permissions. */
export class FolderNotification {
  @Field.text({ doc: 'mail', optional: true, maxLength: 64 }) transport?: string;
  @Field.text({ doc: 'Text of the mail', optional: true, maxLength: 10_000 }) message?: string;
}

/** Recipients and form of a notice about a folder. */
export class FolderNotifyBody {
  @Field.listOf('id', { doc: 'Users and groups that have rights on the folder', maxItems: 1000 }) entities!: string[];
  @Field.object(() => FolderNotification, { doc: 'How to tell them; default: by mail', optional: true })
  notification?: FolderNotification;
}

/** The files of `checklimits`. */
export class FolderLimitsBody {
  @Field.list(() => PlannedFile, { doc: 'The files', optional: true, maxItems: 10_000 }) files?: PlannedFile[];
}

/** A new folder. The parameter says where it goes. */
export class FolderCreation extends FolderData {
  @Field.id({ column: 20, doc: 'Parent', optional: true, readOnly: true }) override folder_id?: string;
  @Field.int({ column: 302, doc: 'Follows from the parent', optional: true, readOnly: true }) override type?: number;
}

/** Changes of a folder. Its kind stays. */
export class FolderChanges extends FolderData {
  @Field.int({ column: 302, doc: 'Fixed when created', optional: true, readOnly: true }) override type?: number;
  @Field.text({
    column: 3203,
    name: 'com.openexchange.calendar.provider',
    doc: 'Fixed when created',
    optional: true,
    readOnly: true,
  })
  override calendarProvider?: string;
}

const tellingThem = Field.object(() => FolderNotification, { doc: 'Tell those who got permissions', optional: true });

/** A new folder, or one with the wish to tell those who got permissions. Both forms are accepted. */
export class FolderCreationBody extends FolderCreation {
  @Field.object(() => FolderCreation, { doc: 'The folder', optional: true }) folder?: FolderCreation;
  @tellingThem notification?: FolderNotification;
}

/** Changes of a folder, or those with the wish to tell those who got permissions. Both forms are accepted. */
export class FolderChangesBody extends FolderChanges {
  @Field.object(() => FolderChanges, { doc: 'The folder', optional: true }) folder?: FolderChanges;
  @tellingThem notification?: FolderNotification;
}

/** Rows of all folders of a module; a key is absent when there are none. */
export interface VisibleFolders {
  readonly private?: unknown[][];
  readonly public?: unknown[][];
  readonly shared?: unknown[][];
}

/** Result of `notify`. */
export interface FolderNotified {
  readonly warnings: readonly object[];
}

/** Result of `checklimits`. */
export interface FolderLimits {
  /** Error objects; empty when everything fits. */
  readonly errors: readonly object[];
}

/** Place of a restored folder: the folders from itself up to the top. */
export interface RestoredFolder {
  readonly id: string;
  /** The same as `id`, as some clients name it. */
  readonly folder: string;
  readonly path: readonly { readonly id: string; readonly title: string }[];
}

/** Outcome for one folder, with extendedResponse. */
export interface FolderDeletion {
  readonly id: string;
  readonly hasFailed: boolean;
  readonly isSupported: boolean;
  readonly trashed: boolean;
  /** The same as `trashed`, as some clients name it. */
  readonly isTrashed: boolean;
  /** Names of the folders from the top to where it was, each behind a slash. */
  readonly path?: string;
  /** The same of where it is in the trash. */
  readonly new_path?: string;
}

const common = { auth: 'session', badParameter: FolderErrors.badParameter } as const;
const reading = [FolderErrors.unknownTree, FolderErrors.badParameter, FolderErrors.unknownField];
const missing = [FolderErrors.notFound, FolderErrors.notVisible, FolderErrors.badId, FolderErrors.noModuleAccess];
/** Errors of folders that storages elsewhere keep. */
const ofStorage = [
  FileStorageErrors.accountNotFound,
  FileStorageErrors.unknownService,
  FileStorageErrors.badFolderId,
  FileStorageErrors.noSuchFolder,
  FileStorageErrors.notReachable,
  FileStorageErrors.loginRefused,
];
const writing = [
  ...missing,
  ...ofStorage,
  FileStorageErrors.notSupported,
  FileStorageErrors.noPermissions,
  FileStorageErrors.badCharacters,
  FileStorageErrors.onlyDots,
  FolderErrors.unknownTree,
  FolderErrors.badParameter,
  FolderErrors.missingField,
  FolderErrors.nameTaken,
  FolderErrors.nameTooLong,
  FolderErrors.reservedName,
  FolderErrors.badCharacter,
  FolderErrors.noSubfolderPermission,
  FolderErrors.mayNotShare,
  FolderErrors.unknownEntity,
  FolderErrors.badPermission,
  FolderErrors.userTwice,
  FolderErrors.groupTwice,
  FolderErrors.oneAdminOnly,
  FolderErrors.groupAdmin,
  FolderErrors.ownerAdminOnly,
  FolderErrors.noAdmin,
];
/** Most folders that one call names. */
export const MAX_FOLDER_IDS = 10_000;
const ids = jsonListOf<string>('id', { maxItems: MAX_FOLDER_IDS });

/** Folders of all modules in one tree. */
export const folders = defineModule('folders', {
  root: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['read_folders'],
    guests: true,
    edge: true,
    ...common,
    http: 'GET',
    doc: 'Lists the folders at the top of the tree',
    query: FolderColumnsQuery,
    reply: rows(FolderData),
    errors: reading,
  }),
  list: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['read_folders'],
    guests: true,
    edge: true,
    ...common,
    http: 'GET',
    doc: 'Lists the folders below one',
    query: FolderListQuery,
    reply: rows(FolderData),
    errors: [...reading, ...missing, ...ofStorage, FolderErrors.duplicateName],
  }),
  get: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['read_folders'],
    guests: true,
    edge: true,
    ...common,
    http: 'GET',
    doc: 'Reads one folder',
    query: FolderQuery,
    reply: one(FolderData),
    errors: [FolderErrors.unknownTree, FolderErrors.badParameter, ...missing, ...ofStorage],
  }),
  path: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['read_folders'],
    guests: true,
    edge: true,
    ...common,
    http: 'GET',
    doc: 'Lists the folder and those above it, up to the top',
    query: FolderPathQuery,
    reply: rows(FolderData),
    errors: [...reading, ...missing, ...ofStorage],
  }),
  allVisible: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['read_folders'],
    guests: true,
    edge: true,
    ...common,
    http: 'GET',
    doc: 'Lists all folders of a module that the user sees: private, public and shared ones',
    query: FolderVisibleQuery,
    reply: value<VisibleFolders>('rows by kind; a key is absent when there are none'),
    errors: [...reading, FolderErrors.unknownContentType],
  }),
  allVisibleByPut: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['read_folders'],
    guests: true,
    edge: true,
    ...common,
    http: 'PUT',
    action: 'allVisible',
    doc: 'The same as GET allVisible, as older texts of the API have it',
    reads: true,
    query: FolderVisibleQuery,
    reply: value<VisibleFolders>('rows by kind; a key is absent when there are none'),
    errors: [...reading, FolderErrors.unknownContentType],
  }),
  new: action({
    edge: true,
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['write_folders'],
    ...common,
    guests: true,
    http: 'PUT',
    doc: 'Creates a folder; guests do so in folders of files, without permissions of their own choice. One with another calendar provider than chronos shows a calendar elsewhere: ical one of the web',
    deadlineMs: 60_000,
    query: FolderCreationQuery,
    body: json(FolderCreationBody),
    reply: value<string>('id of the folder'),
    errors: [
      ...writing,
      FolderErrors.unknownModule,
      FolderErrors.publicNotWritable,
      FolderErrors.moduleNotAllowed,
      FolderErrors.ownerOfParentOnly,
      FolderErrors.tooManyFolders,
      CalendarErrors.providerMissing,
      CalendarErrors.tooManyAccounts,
      ...ofFeed,
      FeedErrors.badField,
    ],
  }),
  update: action({
    edge: true,
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['write_folders'],
    ...common,
    http: 'PUT',
    doc: 'Renames, moves, shares or marks a folder',
    query: FolderUpdateQuery,
    // Folders go into other storages with all their bytes.
    deadlineMs: TRANSFER_DEADLINE_MS,
    body: json(FolderChangesBody),
    reply: value<string>('id of the folder'),
    errors: [
      ...writing,
      ShareErrors.badAddress,
      ShareErrors.badLink,
      QuotaErrors.exceeded,
      FolderErrors.sharedNotUpdated,
      FolderErrors.moduleFixed,
      FolderErrors.defaultModuleFixed,
      FolderErrors.defaultNotRenamed,
      FolderErrors.defaultNotMoved,
      FolderErrors.sharedNotMoved,
      FolderErrors.systemNotMoved,
      FolderErrors.intoShared,
      FolderErrors.privateIntoPrivate,
      FolderErrors.publicIntoPublic,
      FolderErrors.ontoItself,
      FolderErrors.belowItself,
      FolderErrors.subfolderNotMoved,
      FolderErrors.ownerStaysAdmin,
      FolderErrors.unsubscribeNotPermitted,
      FolderErrors.unsubscribeChildrenFirst,
      ...ofFolderTransfer,
      FileStorageErrors.abortedByWarnings,
      FeedErrors.fixedField,
      FeedErrors.badField,
    ],
  }),
  delete: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['write_folders'],
    ...common,
    http: 'PUT',
    idempotency: 'effect',
    doc: 'Deletes folders; answers those that stay',
    query: FolderDeletionQuery,
    body: ids,
    reply: value<string[] | FolderDeletion[]>('ids of the folders that stay'),
    errors: [
      ...missing,
      FolderErrors.unknownTree,
      FolderErrors.badParameter,
      FolderErrors.notDeletable,
      FolderErrors.defaultNotDeleted,
      FolderErrors.sharedNotDeleted,
      FolderErrors.noAdminAccess,
      FolderErrors.changed,
      FolderErrors.hiddenSubfolder,
      FolderErrors.objectsNotDeletable,
      FolderErrors.objectsLocked,
    ],
  }),
  updates: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['read_folders'],
    guests: true,
    edge: true,
    ...common,
    http: 'GET',
    doc: 'Lists what changed in the tree or below a folder: rows of new and changed folders, ids of all that are gone',
    query: FolderUpdatesQuery,
    reply: rows(FolderData),
    errors: [...reading, ...missing],
  }),
  shares: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['read_folders'],
    edge: true,
    ...common,
    http: 'GET',
    doc: 'Lists the folders of a module that the user shares with others',
    query: FolderVisibleQuery,
    reply: rows(FolderData),
    errors: [...reading, FolderErrors.unknownContentType],
  }),
  clear: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['write_folders'],
    ...common,
    http: 'PUT',
    doc: 'Deletes what is in folders, into the trash where the module has one; folders below them stay but those of a trash. Answers those that were left alone',
    query: FolderClearQuery,
    body: ids,
    reply: value<string[]>('ids of the folders that were not cleared'),
    errors: [FolderErrors.unknownTree, FolderErrors.badParameter],
  }),
  restore: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['write_folders'],
    ...common,
    http: 'PUT',
    doc: 'Moves folders out of the trash to where they were. Refused when none of them is in a trash',
    query: FolderRestoreQuery,
    body: ids,
    reply: value<RestoredFolder[]>('the place of each folder'),
    errors: [...missing, FolderErrors.unknownTree, FolderErrors.badParameter, FolderErrors.notInTrash],
  }),
  notify: action({
    edge: true,
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['write_folders'],
    ...common,
    http: 'PUT',
    doc: 'Tells users and groups about a folder that is shared with them',
    query: FolderNotifyQuery,
    body: json(FolderNotifyBody),
    reply: value<FolderNotified>('warnings about those who were not told'),
    errors: [
      ...missing,
      FolderErrors.unknownTree,
      FolderErrors.badParameter,
      FolderErrors.noAdminAccess,
      FolderErrors.unknownEntity,
    ],
  }),
  checklimits: action({
    access: requireRights(FOLDER_RIGHTS.decidedByOwner),
    appScopes: ['read_folders'],
    ...common,
    http: 'PUT',
    doc: 'Tells which limits files would exceed in a folder',
    query: FolderLimitsQuery,
    body: json(FolderLimitsBody),
    reply: value<FolderLimits>('errors that storing the files would meet'),
    errors: [...missing, FileStorageErrors.noSuchFolder, FolderErrors.badParameter, UploadLimitErrors.unknownType],
  }),
});
