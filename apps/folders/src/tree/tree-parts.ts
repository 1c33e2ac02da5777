import {
  LOWEST_FOLDER_ID,
  parseFolderAddress,
  SYSTEM_FOLDERS,
  type FolderKey,
  type FolderModule,
  type OwnedFolderListing,
} from '@groupware/contracts';
import type { ListingPlan } from '../owners/owners';

/** Nothing but the few folders below those of other modules, which every answer tells. */
const STRAYS: OwnedFolderListing = { ids: [] };
/** One folder of each kind: what the folders at the top must know. */
const TOP: OwnedFolderListing = { below: SYSTEM_FOLDERS.root, flat: true };

/** All folders of one module. */
export const allOf =
  (wanted: FolderModule, listing: OwnedFolderListing = {}): ListingPlan =>
  (module) => [module === wanted ? listing : STRAYS];

/** The folders below one. */
export const below =
  (parent: string): ListingPlan =>
  () => [{ below: toKey(parent) }];

/** One folder. */
export const folder = (id: string): ListingPlan => {
  const address = parseFolderAddress(id);
  if (!address) return isTop(id) ? below('0') : below(id);
  return (module) => [module === address.module ? { ids: [address.key] } : STRAYS];
};

/** Folders with all above them. */
export const paths =
  (ids: readonly string[]): ListingPlan =>
  (module) => {
    const own = ids.flatMap((id) => {
      const address = parseFolderAddress(id);
      return address?.module === module ? [address.key] : [];
    });
    const virtual = ids.filter((id) => !parseFolderAddress(id) && !isTop(id)).map((id) => ({ below: id }));
    return [TOP, ...virtual, ...(own.length > 0 ? [{ paths: own }] : [])];
  };

/** Several parts. */
export const together =
  (...plans: readonly ListingPlan[]): ListingPlan =>
  (module) =>
    plans.flatMap((plan) => plan(module));

/** Changes since a stamp; with the owners of shared folders for those who list them. */
export const changes =
  (since: number, withOwners = false): ListingPlan =>
  () => [...(withOwners ? [{ below: SYSTEM_FOLDERS.shared }] : []), { since }];

/** No folders but those below folders of other modules. */
export const strays: ListingPlan = () => [STRAYS];

/** Root, private, public and shared folders: they are in every tree. */
const isTop = (id: string): boolean => /^[0-3]$/.test(id);

const toKey = (id: string): FolderKey =>
  Number(id) < LOWEST_FOLDER_ID ? Number(id) : (parseFolderAddress(id)?.key ?? id);
