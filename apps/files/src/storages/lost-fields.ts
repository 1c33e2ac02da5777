import { FileStorageErrors, type CatalogueError } from '@groupware/contracts';
import type { DocumentFields } from '../domain/document-input';

/** What of a document a storage elsewhere does not keep: warnings. @param place names of the file and its folder, for people */
export const listLostFields = (
  { description, categories }: Pick<DocumentFields, 'description' | 'categories'>,
  ...place: readonly [string, string]
): CatalogueError[] => [
  ...(description ? [FileStorageErrors.losesNotes(...place)] : []),
  ...(categories ? [FileStorageErrors.losesCategories(...place)] : []),
];
