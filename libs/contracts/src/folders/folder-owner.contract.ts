import { defineModule, Field, internal, value, type Auth, type ModuleContract, type Operation } from '../kit';
import { FOLDER_MODULES, type FolderModule } from './folder-id';

/** Type of a stored folder: 1 private (seen as 3, shared, by others), 2 public. */
export type StoredFolderType = 1 | 2;

/** One entry of the permission list of a stored folder. */
export interface OwnedPermission {
  /** User or group id. */
  readonly entity: number;
  readonly group: boolean;
  /** Five ranks in one number, see the API page "Folders and permissions". */
  readonly bits: number;
}

/** A folder as its owner tells it to one user. Times are ms UTC. */
export interface OwnedFolder {
  readonly id: number;
  /** A system folder or a folder of any module. */
  readonly parent: number;
  readonly module: FolderModule;
  readonly type: StoredFolderType;
  readonly title: string;
  readonly createdBy: number;
  readonly modifiedBy: number;
  readonly created: number;
  readonly lastModified: number;
  /** The folder that its module falls back to; one per user. */
  readonly isDefault: boolean;
  readonly subscribed: boolean;
  /** Effective rights of the user who asks. */
  readonly ownRights: number;
  readonly permissions: readonly OwnedPermission[];
  /** Number of objects; -1 unknown. */
  readonly total: number;
  /** Free attributes such as colour and description. */
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** What the folders service knows about a parent that another module owns. */
export class ForeignParent {
  @Field.int({ doc: '1 private, 2 public', values: [1, 2] }) type!: StoredFolderType;
  @Field.int({ doc: 'Owner of the private folder', min: 0 }) owner!: number;
}

/** Asks for folders by id. */
export class OwnedFoldersQuery {
  @Field.listOf('int', { doc: 'Folder ids' }) ids!: number[];
}

/** Asks for one folder. */
export class OwnedFolderQuery {
  @Field.int({ doc: 'Folder id', min: 0 }) id!: number;
}

/** A folder to create. */
export class OwnedFolderCreation {
  @Field.int({ doc: 'Parent: a system folder or a folder of any module', min: 0 }) parent!: number;
  @Field.object(() => ForeignParent, { doc: 'Set when another module owns the parent', optional: true })
  foreignParent?: ForeignParent;
  @Field.text({ doc: 'Name' }) title!: string;
  @Field.any({ doc: 'Permission list (OwnedPermission[]); default: as the parent', optional: true })
  permissions?: OwnedPermission[];
  @Field.boolean({ doc: 'Shown in folder lists', optional: true }) subscribed?: boolean;
  @Field.any({ doc: 'Free attributes', optional: true }) properties?: Record<string, unknown>;
}

/** Changes of a folder; absent fields stay. */
export class OwnedFolderChange {
  @Field.int({ doc: 'Folder id', min: 0 }) id!: number;
  @Field.timestamp({ doc: 'Refuse when the folder was changed later', optional: true }) timestamp?: number;
  @Field.int({ doc: 'New parent', optional: true, min: 0 }) parent?: number;
  @Field.object(() => ForeignParent, { doc: 'Set when another module owns the new parent', optional: true })
  foreignParent?: ForeignParent;
  @Field.text({ doc: 'New name', optional: true }) title?: string;
  @Field.any({ doc: 'New permission list (OwnedPermission[])', optional: true }) permissions?: OwnedPermission[];
  @Field.boolean({ doc: 'Also replace the permissions of all folders below it', optional: true }) cascade?: boolean;
  @Field.boolean({ doc: 'Shown in folder lists', optional: true }) subscribed?: boolean;
  @Field.any({ doc: 'Free attributes; null removes one', optional: true }) properties?: Record<string, unknown>;
}

/** Which folder to delete. */
export class OwnedFolderRemoval {
  @Field.int({ doc: 'Folder id', min: 0 }) id!: number;
  @Field.timestamp({ doc: 'Refuse when the folder was changed later', optional: true }) timestamp?: number;
}

/** What a write of a folder answers. */
export interface OwnedFolderWritten {
  readonly id: number;
  /** ms UTC. */
  readonly lastModified: number;
  /** Keys of warnings of the error catalogue. */
  readonly warnings?: readonly string[];
}

/** Effective rights of a user on folders. */
export interface FolderRights {
  readonly id: number;
  readonly rights: number;
  readonly type: StoredFolderType;
  readonly owner: number;
}

const operations = {
  visible: internal({
    doc: 'All folders that the user sees, in no particular order. Makes the default folder when the user has none',
    reply: value<OwnedFolder[]>('folders'),
    repeatable: true,
  }),
  get: internal({
    doc: 'One folder; FLD-0008 when there is none, FLD-0003 when the user does not see it',
    query: OwnedFolderQuery,
    reply: value<OwnedFolder>('the folder'),
    repeatable: true,
  }),
  create: internal({
    doc: 'Creates a folder',
    query: OwnedFolderCreation,
    reply: value<OwnedFolderWritten>('its id'),
  }),
  update: internal({
    doc: 'Renames, moves, shares or marks a folder',
    query: OwnedFolderChange,
    reply: value<OwnedFolderWritten>('its id'),
  }),
  remove: internal({
    doc: 'Deletes a folder with everything in it and below it that the module owns',
    query: OwnedFolderRemoval,
    reply: value<OwnedFolderWritten>('its id'),
  }),
  rights: internal({
    doc: 'Effective rights of the user on folders; unknown ones are left out',
    query: OwnedFoldersQuery,
    reply: value<FolderRights[]>('rights'),
    repeatable: true,
  }),
};

/** Operations that every module with folders answers. */
export type FolderOwner = ModuleContract<{
  readonly [K in keyof typeof operations]: (typeof operations)[K] extends {
    readonly types?: { query: infer Q extends object; body: infer B; result: infer R };
  }
    ? Operation<Extract<Auth, 'internal'>, Q, B, R>
    : never;
}>;

const owners = new Map<FolderModule, FolderOwner>();

/** Declares that a module keeps folders; its service answers `<module>-folders`. */
export function folderOwner(module: FolderModule): FolderOwner {
  const contract = defineModule(`${module}-folders`, operations, { service: module }) as unknown as FolderOwner;
  owners.set(module, contract);
  return contract;
}

/** Every module with folders, in the order of the module numbers. */
export const folderOwners = (): readonly { readonly module: FolderModule; readonly contract: FolderOwner }[] =>
  [...owners]
    .map(([module, contract]) => ({ module, contract }))
    .sort((a, b) => FOLDER_MODULES[a.module] - FOLDER_MODULES[b.module]);
