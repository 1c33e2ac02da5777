import type { FolderModule, OwnedFolder } from '@groupware/contracts';
import { effectiveRights, highest, rightsOf } from './domain/rights';
import type { FolderUser, SeenFolder, StoredFolder } from './stored-folder';

/** What a user may do in a folder, as bits; 0 where the user does not see it. */
export const rightsIn = (folder: SeenFolder, user: FolderUser): number =>
  effectiveRights(folder.granted, { type: folder.type, owner: folder.createdBy }, user);

/** The same from the stored permissions of a folder, for questions about many users. */
export const storedRightsIn = (folder: StoredFolder, user: FolderUser): number =>
  effectiveRights(
    highest(
      folder.permissions
        .filter(({ entity, group }) => (group ? user.groups.includes(entity) : entity === user.userId))
        .map(({ bits }) => bits),
    ),
    { type: folder.type, owner: folder.createdBy },
    user,
  );

/** True when the user sees the folder. */
export const isVisible = (folder: SeenFolder, user: FolderUser): boolean => rightsOf(rightsIn(folder, user)).folder > 0;

/** A folder as its owner tells it to the folders service. */
export const ownedFolder = (module: FolderModule, folder: SeenFolder, user: FolderUser): OwnedFolder => ({
  id: folder.id,
  parent: folder.parent,
  module,
  type: folder.type,
  title: folder.title,
  createdBy: folder.createdBy,
  modifiedBy: folder.modifiedBy,
  created: folder.created,
  lastModified: folder.lastModified,
  isDefault: folder.isDefault && folder.createdBy === user.userId,
  subscribed: folder.subscribed,
  changed: folder.changed,
  ownRights: rightsIn(folder, user),
  permissions: folder.permissions,
  total: -1,
  ...(folder.properties && { properties: folder.properties }),
});
