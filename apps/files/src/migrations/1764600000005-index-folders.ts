import { createFolderIndexes } from '@groupware/folders';

/** Indexes for large trees of folders of files. */
export const IndexFolders1764600000005 = createFolderIndexes(1764600000005);
