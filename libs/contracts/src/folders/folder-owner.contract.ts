import {
  allowCallers,
  type Auth,
  defineModule,
  internal,
  MODULE,
  type ModuleContract,
  type Operation,
  requireRights,
  value,
} from '../kit';
import { ShareKey } from '../admin/crosscontext/share-key';
import { allEvents, type EventType } from '../kit';
import { FOLDER_MODULES, moduleOfFolder, type FolderModule } from './folder-id';
import { TRANSFER_DEADLINE_MS } from './folder-transfer';
import {
  FolderPreparation,
  LostFoldersQuery,
  OwnedFolderChange,
  OwnedFolderClearing,
  OwnedFolderCreation,
  OwnedFolderLimits,
  OwnedFolderListings,
  OwnedFolderNotice,
  OwnedFolderQuery,
  OwnedFolderRemoval,
  OwnedFolderRestoration,
  OwnedFoldersQuery,
  StoredFolderQuery,
  GrantedQuery,
  type ExceededLimit,
  type FolderRights,
  type FolderSharing,
  type GrantedFolder,
  type LostFolder,
  type OwnedFolder,
  type OwnedFoldersDone,
  type OwnedFolderWritten,
} from './folder-owner.models';
import { FOLDER_RIGHTS } from './folder.access';

const operations = {
  visible: internal({
    access: requireRights(FOLDER_RIGHTS.useModule, FOLDER_RIGHTS.see),
    calledBy: ['folders'],
    doc:
      'Folders that the user sees, a list in no particular order for each part of the tree. Makes the default folder when ' +
      'the user has none. The timestamp beside the answer is the stamp up to which it is complete',
    query: OwnedFolderListings,
    reply: value<OwnedFolder[][]>('folders of each part'),
    repeatable: true,
  }),
  get: internal({
    access: requireRights(FOLDER_RIGHTS.useModule, FOLDER_RIGHTS.see),
    calledBy: ['folders'],
    doc: 'One folder; FLD-0008 when there is none, FLD-0003 when the user does not see it',
    query: OwnedFolderQuery,
    reply: value<OwnedFolder>('the folder'),
    repeatable: true,
  }),
  create: internal({
    access: requireRights(FOLDER_RIGHTS.useModule, FOLDER_RIGHTS.createInside),
    calledBy: ['folders'],
    doc: 'Creates a folder',
    query: OwnedFolderCreation,
    reply: value<OwnedFolderWritten>('its id'),
  }),
  reserve: internal({
    access: requireRights(FOLDER_RIGHTS.useModule),
    calledBy: ['folders'],
    doc: 'The id of a folder that is still to be made, for a link that names it; no other folder gets it. 0 where folders have no numbers',
    reply: value<number>('id'),
  }),
  update: internal({
    access: requireRights(FOLDER_RIGHTS.useModule, FOLDER_RIGHTS.see, FOLDER_RIGHTS.administer),
    calledBy: ['folders'],
    doc: 'Renames, moves, shares or marks a folder',
    query: OwnedFolderChange,
    deadlineMs: TRANSFER_DEADLINE_MS,
    reply: value<OwnedFolderWritten>('its id'),
  }),
  lost: internal({
    access: requireRights(FOLDER_RIGHTS.useModule),
    calledBy: ['folders'],
    doc: 'Places in which the user no longer sees folders since a stamp; to be asked after `visible`',
    query: LostFoldersQuery,
    reply: value<LostFolder[]>('places'),
    repeatable: true,
  }),
  remove: internal({
    access: requireRights(FOLDER_RIGHTS.useModule, FOLDER_RIGHTS.administer),
    calledBy: ['folders'],
    doc: 'Deletes folders with everything in them and below them that the module owns',
    query: OwnedFolderRemoval,
    reply: value<OwnedFoldersDone>('those that stay'),
  }),
  clear: internal({
    access: requireRights(FOLDER_RIGHTS.useModule, FOLDER_RIGHTS.removeObjects),
    calledBy: ['folders'],
    doc: 'Deletes the objects in folders; the folders and those below them stay',
    query: OwnedFolderClearing,
    reply: value<OwnedFoldersDone>('those that were left alone'),
  }),
  restore: internal({
    access: requireRights(FOLDER_RIGHTS.useModule, FOLDER_RIGHTS.see),
    calledBy: ['folders'],
    doc: 'Moves folders out of the trash to where they were; modules without trash refuse all',
    query: OwnedFolderRestoration,
    reply: value<OwnedFoldersDone>('those that stay where they are'),
  }),
  notify: internal({
    access: requireRights(FOLDER_RIGHTS.useModule, FOLDER_RIGHTS.administer),
    calledBy: ['folders'],
    doc: 'Tells users and groups that have rights on a folder about it; answers those that have none',
    query: OwnedFolderNotice,
    reply: value<number[]>('entities without rights on the folder'),
  }),
  limits: internal({
    access: requireRights(FOLDER_RIGHTS.useModule, FOLDER_RIGHTS.see),
    calledBy: ['folders'],
    doc: 'Limits that files would exceed in a folder',
    query: OwnedFolderLimits,
    reply: value<ExceededLimit[]>('limits'),
    repeatable: true,
  }),
  rights: internal({
    access: requireRights(FOLDER_RIGHTS.useModule),
    calledBy: ['folders'],
    doc: 'Effective rights of the user on folders; unknown ones are left out',
    query: OwnedFoldersQuery,
    reply: value<FolderRights[]>('rights'),
    repeatable: true,
  }),
  granted: internal({
    access: allowCallers('which folders guests were given; identity closes accounts by it'),
    calledBy: ['identity'],
    doc: 'Folders, and objects by themselves, on which users or guests have rights of their own, not by a group; needs no user in the principal',
    query: GrantedQuery,
    reply: value<GrantedFolder[]>('pairs, in the order of the folders'),
    repeatable: true,
  }),
  sharing: internal({
    access: allowCallers('for operators who look at shares: no user asks'),
    calledBy: ['admin'],
    doc: 'Whose a folder is and who has rights on it; null when it is gone; needs no user in the principal',
    query: StoredFolderQuery,
    reply: value<FolderSharing | null>('the folder'),
    repeatable: true,
  }),
  retract: internal({
    access: allowCallers('an operator takes a share back, whoever gave it'),
    calledBy: ['admin'],
    doc: 'Takes away the rights that a share gave, whoever gave them; false when they were gone; needs no user in the principal',
    query: ShareKey,
    reply: value<boolean>('whether there were any'),
    repeatable: true,
  }),
  prepare: internal({
    access: allowCallers('makes the default folder of a new user for him'),
    calledBy: ['identity', 'mail', 'settings'],
    doc: 'The default folder of a user, or the trash, made when there is none; needs no user in the principal',
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

/**
 * Declares that a module keeps folders; its service answers `<module>-folders`.
 * @param service the service, where it does not bear the name of the module
 */
export function folderOwner(module: FolderModule, service: string = module): FolderOwner {
  const contract = defineModule(`${module}-folders`, operations, { service }) as unknown as FolderOwner;
  owners.set(module, contract);
  return contract;
}

/** Every module with folders, in the order of the module numbers. */
export const folderOwners = (): readonly { readonly module: FolderModule; readonly contract: FolderOwner }[] =>
  [...owners]
    .map(([module, contract]) => ({ module, contract }))
    .sort((a, b) => FOLDER_MODULES[a.module] - FOLDER_MODULES[b.module]);

/** The modules whose folders users share with each other and with guests; mail servers keep the rights on theirs themselves. */
export const shareableFolderOwners = () => folderOwners().filter(({ module }) => module !== 'mail');

/** The owner of a folder; undefined where no module has it. */
export const ownerOfFolder = (id: number): FolderOwner | undefined => {
  const module = moduleOfFolder(id);
  return module && owners.get(module);
};

/** A change of a folder, of whatever module. */
export interface FolderChange {
  readonly folderId: number;
}

/** The events of all modules by which folders come, change and go. */
export const folderChangeEvents = (): EventType<FolderChange>[] => {
  const names = folderOwners().flatMap(({ contract }) =>
    ['created', 'changed', 'deleted'].map((what) => `${contract[MODULE].service}.folder.${what}`),
  );
  return allEvents().filter(({ name }) => names.includes(name)) as EventType<FolderChange>[];
};

/** Users and guests who lost the last right of their own on any folder of a module. */
export interface FoldersWithdrawn {
  readonly entities: readonly number[];
  /** ms UTC */
  readonly stamp: number;
}

/** The events of all modules by which users and guests lose their last right on the folders of one. */
export const foldersWithdrawnEvents = (): EventType<FoldersWithdrawn>[] => {
  const names = shareableFolderOwners().map(({ contract }) => `${contract[MODULE].service}.folders.withdrawn`);
  return allEvents().filter(({ name }) => names.includes(name)) as EventType<FoldersWithdrawn>[];
};
