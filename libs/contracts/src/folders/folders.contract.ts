import { action, defineModule, Field, json, jsonListOf, one, rows, value } from '../kit';
import { FolderData } from './folder.model';
import { FolderErrors } from './folder.errors';

/** What all folder calls take. */
export class FolderTreeQuery {
  @Field.text({ doc: '0 the whole tree, 1 the flat tree', optional: true, maxLength: 64 }) tree?: string;
  @Field.text({ doc: 'Comma list of modules whose folders count; default: all', optional: true, maxLength: 256 })
  allowed_modules?: string;
  @Field.text({ doc: 'Locale of names; default: that of the user', optional: true, maxLength: 64 }) language?: string;
  @Field.text({ doc: 'Zone of times; default: that of the user', optional: true, maxLength: 128 }) timezone?: string;
}

/** Columns of folder rows. */
export class FolderColumnsQuery extends FolderTreeQuery {
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
export class FolderQuery extends FolderTreeQuery {
  @Field.text({ doc: 'Folder', maxLength: 1024, minLength: 1 }) id!: string;
}

/** All folders of a module. */
export class FolderVisibleQuery extends FolderColumnsQuery {
  @Field.text({ doc: 'Module, by name or number', maxLength: 64, minLength: 1 }) content_type!: string;
  @Field.boolean({ doc: 'Also the ones that are not subscribed', optional: true }) all?: boolean;
}

/** Where to create. */
export class FolderCreationQuery extends FolderTreeQuery {
  @Field.text({ doc: 'Parent', maxLength: 1024, minLength: 1 }) folder_id!: string;
  @Field.boolean({ doc: 'Number the name when it is taken', optional: true }) autorename?: boolean;
  @Field.text({ doc: 'Client that need not be told', optional: true, maxLength: 1024 }) pushToken?: string;
}

/** What to change. */
export class FolderUpdateQuery extends FolderQuery {
  @Field.timestamp({ doc: 'Timestamp of the folder as the client knows it', optional: true }) timestamp?: number;
  @Field.boolean({ doc: 'Give all folders below it the same permissions', optional: true })
  cascadePermissions?: boolean;
  @Field.boolean({ doc: 'Number the name when it is taken', optional: true }) autorename?: boolean;
  @Field.boolean({ doc: 'The answer may come later', optional: true }) allow_enqueue?: boolean;
  @Field.text({ doc: 'Client that need not be told', optional: true, maxLength: 1024 }) pushToken?: string;
}

/** How to delete. */
export class FolderDeletionQuery extends FolderTreeQuery {
  @Field.timestamp({ doc: 'Folders changed later stay', optional: true }) timestamp?: number;
  @Field.boolean({ doc: 'Not into the trash', optional: true }) hardDelete?: boolean;
  @Field.boolean({ doc: 'Fail at the first folder that stays', optional: true }) failOnError?: boolean;
  @Field.boolean({ doc: 'Answer objects instead of ids', optional: true }) extendedResponse?: boolean;
  @Field.text({ doc: 'Client that need not be told', optional: true, maxLength: 1024 }) pushToken?: string;
}

/** Mail to those who got permissions. */
export class FolderNotification {
  @Field.text({ doc: 'mail', optional: true, maxLength: 64 }) transport?: string;
  @Field.text({ doc: 'Text of the mail', optional: true }) message?: string;
}

/** A folder, or a folder with the wish to tell those who got permissions. Both forms are accepted. */
export class FolderBody extends FolderData {
  @Field.object(() => FolderData, { doc: 'The folder', optional: true }) folder?: FolderData;
  @Field.object(() => FolderNotification, { doc: 'Tell those who got permissions', optional: true })
  notification?: FolderNotification;
}

/** Rows of all folders of a module; a key is absent when there are none. */
export interface VisibleFolders {
  readonly private?: unknown[][];
  readonly public?: unknown[][];
  readonly shared?: unknown[][];
}

/** What happened to one folder, with extendedResponse. */
export interface FolderDeletion {
  readonly id: string;
  readonly hasFailed: boolean;
  readonly isSupported: boolean;
  readonly trashed: boolean;
  readonly path?: string;
  readonly new_path?: string;
}

const common = { auth: 'session', badParameter: FolderErrors.badParameter } as const;
const reading = [FolderErrors.unknownTree, FolderErrors.badParameter];
const missing = [FolderErrors.notFound, FolderErrors.notVisible, FolderErrors.badId];

/** Folders of all modules in one tree. */
export const folders = defineModule('folders', {
  root: action({
    ...common,
    http: 'GET',
    doc: 'Lists the folders at the top of the tree',
    query: FolderColumnsQuery,
    reply: rows(FolderData),
    errors: reading,
  }),
  list: action({
    ...common,
    http: 'GET',
    doc: 'Lists the folders below one',
    query: FolderListQuery,
    reply: rows(FolderData),
    errors: [...reading, ...missing],
  }),
  get: action({
    ...common,
    http: 'GET',
    doc: 'Reads one folder',
    query: FolderQuery,
    reply: one(FolderData),
    errors: [...reading, ...missing],
  }),
  path: action({
    ...common,
    http: 'GET',
    doc: 'Lists the folder and those above it, up to the top',
    query: FolderPathQuery,
    reply: rows(FolderData),
    errors: [...reading, ...missing],
  }),
  allVisible: action({
    ...common,
    http: 'GET',
    doc: 'Lists all folders of a module that the user sees: private, public and shared ones',
    query: FolderVisibleQuery,
    reply: value<VisibleFolders>('rows by kind; a key is absent when there are none'),
    errors: [...reading, FolderErrors.unknownContentType],
  }),
  new: action({
    ...common,
    http: 'PUT',
    doc: 'Creates a folder',
    query: FolderCreationQuery,
    body: json(FolderBody),
    reply: value<string>('id of the folder'),
    errors: [...missing, FolderErrors.nameTaken, FolderErrors.noSubfolderPermission, FolderErrors.missingField],
  }),
  update: action({
    ...common,
    http: 'PUT',
    doc: 'Renames, moves, shares or marks a folder',
    query: FolderUpdateQuery,
    body: json(FolderBody),
    reply: value<string>('id of the folder'),
    errors: [...missing, FolderErrors.changedInTheMeantime, FolderErrors.noAdminAccess, FolderErrors.nameTaken],
  }),
  delete: action({
    ...common,
    http: 'PUT',
    doc: 'Deletes folders; answers those that stay',
    query: FolderDeletionQuery,
    body: jsonListOf<string>('id'),
    reply: value<string[] | FolderDeletion[]>('ids of the folders that stay'),
    errors: [FolderErrors.defaultNotDeleted],
  }),
});
