import { SYSTEM_FOLDERS, type FindFolder } from '@groupware/contracts';
import type { BindValue } from '@groupware/persistence';
import { SHARED_FILES } from '../domain/document-id';
import { FILTERS } from '../persistence/document-view.repository';

/** Folders in which documents are searched. */
export interface SearchedPlaces {
  readonly folders: readonly number[];
  /** Documents that are shared by themselves are searched, too, but for those in these folders. */
  readonly trashed?: readonly number[];
}

/** Chooses places among the readable folders, without trashes. */
type PlaceChoice = (readable: readonly FindFolder[], trashed: readonly number[]) => SearchedPlaces;

/** The choice of some folders, and of documents that are shared by themselves. */
export const choosePlaces =
  (isChosen: (folder: FindFolder) => boolean, withShared: boolean): PlaceChoice =>
  (readable, trashed) => {
    const hidden = new Set(trashed);
    const chosen = readable.filter((folder) => isChosen(folder) && !hidden.has(folder.id));
    return { folders: chosen.map(({ id }) => id), ...(withShared && { trashed }) };
  };

/** The choice of everything. */
export const EVERYWHERE = choosePlaces(() => true, true);

/** By the number of a root the choice of all below it. Roots are no stored folders, so that no statement walks down from them. */
const ROOTS: ReadonlyMap<number, PlaceChoice> = new Map([
  [SYSTEM_FOLDERS.infostore, EVERYWHERE],
  [SHARED_FILES, choosePlaces(({ isPublic }) => !isPublic, true)],
  [SYSTEM_FOLDERS.publicInfostore, choosePlaces(({ isPublic }) => isPublic, false)],
]);

/** The choice of all below a root of the tree; undefined for other folders. */
export const belowRoot = (id: number): PlaceChoice | undefined => ROOTS.get(id);

/** The condition for the documents in places, each of them once. */
export function inPlaces({ folders, trashed }: SearchedPlaces, bind: BindValue): string {
  const inPlace = `${FILTERS.inFolder} and d.folder_id = any(${bind(folders, 'int[]')})`;
  if (!trashed) return inPlace;
  return `(${inPlace} or ${FILTERS.shared} and not ${FILTERS.inFolder} and d.folder_id <> all(${bind(trashed, 'int[]')}))`;
}
