import {
  FolderErrors,
  type CallOf,
  type CatalogueError,
  type FolderKey,
  type FolderOwner,
  type OwnedFolder,
  type OwnedFolderListing,
  type OwnedFoldersDone,
  type OwnedFolderWritten,
  type RefusedFolder,
} from '@groupware/contracts';

/** A call of the folders service. */
export type OwnerCall<K extends keyof FolderOwner> = CallOf<FolderOwner[K]>;

/** A folder that is left as it is. */
export const toRefused = (id: FolderKey, { entry, params }: CatalogueError): RefusedFolder => ({
  id,
  error: entry.key,
  params,
});

/**
 * Folders of a module that are kept elsewhere: their ids are texts, those of stored folders numbers. A module with such folders
 * provides one; rights are up to it.
 */
export abstract class ExternalFolders {
  /** Those that a part of the tree needs. A storage that fails takes no others with it unless the part is its own. */
  abstract listVisible(call: OwnerCall<'visible'>, part: OwnedFolderListing): Promise<readonly OwnedFolder[]>;
  abstract getFolder(call: OwnerCall<'get'>): Promise<OwnedFolder>;
  abstract createFolder(call: OwnerCall<'create'>): Promise<OwnedFolderWritten>;
  /** Changes a folder; its own id, or that of its new parent, is one of ours. */
  abstract updateFolder(call: OwnerCall<'update'>): Promise<OwnedFolderWritten>;
  abstract removeFolders(call: OwnerCall<'remove'>, ids: readonly string[]): Promise<readonly RefusedFolder[]>;
  abstract clearFolders(call: OwnerCall<'clear'>, ids: readonly string[]): Promise<readonly RefusedFolder[]>;
}

/**
 * Handles stored folders and those elsewhere apart.
 * @param ids of both
 */
export async function withExternalIds(
  external: ExternalFolders | undefined,
  ids: readonly FolderKey[],
  handleExternal: (external: ExternalFolders, ids: readonly string[]) => Promise<readonly RefusedFolder[]>,
  handleStored: (ids: FolderKey[]) => Promise<OwnedFoldersDone>,
): Promise<OwnedFoldersDone> {
  const elsewhere = external ? ids.filter((id) => typeof id === 'string') : [];
  if (!external || elsewhere.length === 0) return handleStored([...ids]);
  const refused = await handleExternal(external, elsewhere);
  const stored = ids.filter((id) => typeof id !== 'string');
  if (stored.length === 0) return { stamp: 0, refused };
  const done = await handleStored(stored);
  return { ...done, refused: [...refused, ...done.refused] };
}

/** Folders elsewhere have no trash here. */
export const refuseRestoring = (ids: readonly string[]): readonly RefusedFolder[] =>
  ids.map((id) => toRefused(id, FolderErrors.notInTrash(id)));
