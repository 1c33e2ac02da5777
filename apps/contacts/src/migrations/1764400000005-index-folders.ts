import { createFolderIndexes } from '@groupware/folders';

/** Indexes for large trees of address books. */
export const IndexFolders1764400000005 = createFolderIndexes(1764400000005);
