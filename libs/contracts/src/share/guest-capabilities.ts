import { shareableFolderOwners } from '../folders/folder-owner.contract';

/** Capabilities of guests: they see shared folders of any module; permissions decide which. */
export const listGuestCapabilities = (): string[] => [
  ...shareableFolderOwners().map(({ module }) => module),
  'guest',
  'read_create_shared_folders',
];
