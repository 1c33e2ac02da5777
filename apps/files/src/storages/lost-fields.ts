import { FileStorageErrors, type CatalogueError } from '@groupware/contracts';
import type { DocumentFields } from '../domain/document-input';

/** Warns of fields of a document that a storage elsewhere does not keep. @param place names of the file and its folder */
export const listLostFields = (
  { description, categories }: Pick<DocumentFields, 'description' | 'categories'>,
  ...place: readonly [string, string]
): CatalogueError[] => [
  ...(description ? [FileStorageErrors.losesNotes(...place)] : []),
  ...(categories ? [FileStorageErrors.losesCategories(...place)] : []),
];
