import { localText, SYSTEM_FOLDERS, type FolderKey, type UserPrincipal } from '@groupware/contracts';
import { EDIT_PUBLIC_FOLDERS, RANK, SHARE_FOLDERS } from '@groupware/folders';
import { FOLDER_TYPE, type TreeFolder } from './tree-folder';

type Name = 'root' | 'private' | 'public' | 'shared';

/** Virtual folders of public folders whose parents are invisible, by module. */
const ORPHANS = {
  tasks: SYSTEM_FOLDERS.orphanedTasks,
  calendar: SYSTEM_FOLDERS.orphanedCalendars,
  contacts: SYSTEM_FOLDERS.orphanedContacts,
  infostore: SYSTEM_FOLDERS.orphanedInfostore,
} as const;

/** Names of the system folders of modules in no language (column 319). */
const RAW_NAMES: ReadonlyMap<number, string> = new Map([
  [SYSTEM_FOLDERS.globalAddressBook, 'system_ldap'],
  [SYSTEM_FOLDERS.infostore, 'infostore'],
  [SYSTEM_FOLDERS.userInfostore, 'userstore'],
  [SYSTEM_FOLDERS.publicInfostore, 'public_infostore'],
]);

/** Finds the name in no language of a system folder of a module; undefined for other folders, which are named by their titles. */
export const findRawName = (id: FolderKey): string | undefined => RAW_NAMES.get(Number(id));

/** Id of the virtual folder with the shared folders of a user. */
export const toSharedParentId = (owner: number): string => `u:${owner}`;

/** Parses `u:<id>`; undefined for other ids. */
export function parseSharedParentId(id: string): number | undefined {
  const match = /^u:(\d{1,9})$/.exec(id);
  return match ? Number(match[1]) : undefined;
}

/** Whether an id is that of a system folder or of a virtual folder of a sharing user. */
export const isSystemId = (id: string): boolean => /^((con:\/\/0\/)?1?\d|u:\d{1,9})$/.test(id);

/** Creates the folders with fixed ids for a user; `altNames` gives them shorter names. */
export function createSystemFolders(user: UserPrincipal, locale: string, altNames = false): TreeFolder[] {
  const folder = (name: Name, parent: string, rights: number): TreeFolder => ({
    id: String(SYSTEM_FOLDERS[name]),
    parent,
    title: localText(altNames && name !== 'root' ? `folder.${name}.short` : `folder.${name}`, locale),
    rawName: name,
    module: 'system',
    type: FOLDER_TYPE.system,
    createdBy: 0,
    modifiedBy: 0,
    created: 0,
    lastModified: 0,
    changed: 0,
    ownRights: rights,
    permissions: [{ entity: 0, group: true, bits: rights }],
    isDefault: false,
    subscribed: true,
  });
  const mayPublish = user.capabilities.includes(EDIT_PUBLIC_FOLDERS);
  const maySeeShared = user.capabilities.includes(SHARE_FOLDERS);
  return [
    folder('root', '', RANK.see),
    folder('private', '0', RANK.createSubfolders),
    folder('public', '0', mayPublish ? RANK.createSubfolders : RANK.see),
    ...(maySeeShared ? [folder('shared', '0', RANK.see)] : []),
  ];
}

/** The modules that have such a virtual folder, in the flat tree or the full one. */
const orphanModules = (flat: boolean) =>
  (Object.keys(ORPHANS) as (keyof typeof ORPHANS)[]).filter((module) => !flat || module === 'infostore');

/** The id of the virtual folder with public folders of a module whose parents are invisible. */
export function findOrphanParent(module: string, flat: boolean): number | undefined {
  const known = orphanModules(flat).find((candidate) => candidate === module);
  return known && ORPHANS[known];
}

/** Creates the virtual folders with public folders whose parents are invisible. */
export const createOrphanParents = (locale: string, flat: boolean): TreeFolder[] =>
  orphanModules(flat).map((module) => ({
    id: String(ORPHANS[module]),
    parent: String(module === 'infostore' ? SYSTEM_FOLDERS.infostore : SYSTEM_FOLDERS.public),
    title: localText(`folder.orphans.${module}`, locale),
    module: 'system',
    type: FOLDER_TYPE.system,
    createdBy: 0,
    modifiedBy: 0,
    created: 0,
    lastModified: 0,
    changed: 0,
    ownRights: RANK.see,
    permissions: [{ entity: 0, group: true, bits: RANK.see }],
    isDefault: false,
    subscribed: true,
  }));

/** Creates the virtual folder with the shared folders of a user. */
export const createSharedParent = (owner: number, displayName: string): TreeFolder => ({
  id: toSharedParentId(owner),
  parent: String(SYSTEM_FOLDERS.shared),
  title: displayName,
  module: 'system',
  type: FOLDER_TYPE.system,
  createdBy: owner,
  modifiedBy: owner,
  created: 0,
  lastModified: 0,
  changed: 0,
  ownRights: RANK.see,
  permissions: [{ entity: owner, group: false, bits: RANK.see }],
  isDefault: false,
  subscribed: true,
});
