import { defineModule, internal, value, type Auth, type ModuleContract, type Operation } from '../kit';
import { FOLDER_MODULES, type FolderModule } from './folder-id';
import {
  FolderPreparation,
  LostFoldersQuery,
  OwnedFolderChange,
  OwnedFolderClearing,
  OwnedFolderCreation,
  OwnedFolderLimits,
  OwnedFolderListing,
  OwnedFolderNotice,
  OwnedFolderQuery,
  OwnedFolderRemoval,
  OwnedFoldersQuery,
  GrantedQuery,
  type ExceededLimit,
  type FolderRights,
  type GrantedFolder,
  type LostFolder,
  type OwnedFolder,
  type OwnedFoldersDone,
  type OwnedFolderWritten,
} from './folder-owner.models';

const operations = {
  visible: internal({
    doc:
      'All folders that the user sees, in no particular order. Makes the default folder when the user has none. ' +
      'The timestamp beside the answer is the stamp up to which it is complete',
    query: OwnedFolderListing,
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
  lost: internal({
    doc: 'Places in which the user no longer sees folders since a stamp; to be asked after `visible`',
    query: LostFoldersQuery,
    reply: value<LostFolder[]>('places'),
    repeatable: true,
  }),
  remove: internal({
    doc: 'Deletes folders with everything in them and below them that the module owns',
    query: OwnedFolderRemoval,
    reply: value<OwnedFoldersDone>('those that stay'),
  }),
  clear: internal({
    doc: 'Deletes the objects in folders; the folders and those below them stay',
    query: OwnedFolderClearing,
    reply: value<OwnedFoldersDone>('those that were left alone'),
  }),
  restore: internal({
    doc: 'Moves folders out of the trash to where they were; modules without trash refuse all',
    query: OwnedFoldersQuery,
    reply: value<OwnedFoldersDone>('those that stay where they are'),
  }),
  notify: internal({
    doc: 'Tells users and groups that have rights on a folder about it; answers those that have none',
    query: OwnedFolderNotice,
    reply: value<number[]>('entities without rights on the folder'),
  }),
  limits: internal({
    doc: 'Limits that files would exceed in a folder',
    query: OwnedFolderLimits,
    reply: value<ExceededLimit[]>('limits'),
    repeatable: true,
  }),
  rights: internal({
    doc: 'Effective rights of the user on folders; unknown ones are left out',
    query: OwnedFoldersQuery,
    reply: value<FolderRights[]>('rights'),
    repeatable: true,
  }),
  granted: internal({
    doc: 'Folders on which users or guests have rights of their own, not by a group; needs no user in the principal',
    query: GrantedQuery,
    reply: value<GrantedFolder[]>('pairs, in the order of the folders'),
    repeatable: true,
  }),
  prepare: internal({
    doc: 'Makes the default folder of a new user, unless there is one; needs no user in the principal',
    query: FolderPreparation,
    reply: value<number>('id of the default folder'),
    repeatable: true,
    deadlineMs: 5_000,
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
