import { shareableFolderOwners } from '../folders/folder-owner.contract';

/** Capabilities of guests: they see shared folders of any module; permissions decide which. Named ones change their password. */
export const listGuestCapabilities = ({ isNamed = false } = {}): string[] => [
  ...shareableFolderOwners().map(({ module }) => module),
  ...(isNamed ? ['edit_password'] : []),
  'guest',
  'read_create_shared_folders',
];
