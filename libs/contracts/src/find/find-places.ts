import { CatalogueError, type UserPrincipal } from '../kit';
import { FindErrors } from './find.errors';
import { FOLDER_TYPES, isOfFolderType, type FindFolderType, type FindRequest } from './find-request';

/** A folder as searches choose it. */
export interface FindFolder {
  readonly id: number;
  readonly isPublic: boolean;
  readonly owner: number;
}

/** Kinds of folders that a user may limit a search to. */
export const listFolderTypes = ({ capabilities }: Pick<UserPrincipal, 'capabilities'>): readonly FindFolderType[] =>
  FOLDER_TYPES.filter((type) => type !== 'shared' || capabilities.includes('read_create_shared_folders'));

/**
 * Whether a folder is searched.
 * @param parseId the number of a folder of the module
 * @throws FIND-0014 for an id that no folder of the module has
 */
export function toFolderChoice(
  { folder, folderType }: FindRequest,
  { userId }: Pick<UserPrincipal, 'userId'>,
  parseId: (id: string) => number,
): (candidate: FindFolder) => boolean {
  if (folderType !== undefined) return (candidate) => isOfFolderType(candidate, folderType, userId);
  if (folder === undefined) return () => true;
  const wanted = parseFindFolder(folder, parseId);
  return ({ id }) => id === wanted;
}

/** The number of the only folder to search in. @throws FIND-0014 for an id that no folder of the module has */
export function parseFindFolder(folder: string, parseId: (id: string) => number): number {
  try {
    return parseId(folder);
  } catch (error) {
    if (error instanceof CatalogueError) throw FindErrors.badFolder(folder.slice(0, 100));
    throw error;
  }
}
