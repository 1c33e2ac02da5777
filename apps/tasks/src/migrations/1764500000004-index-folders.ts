import { createFolderIndexes } from '@groupware/folders';

/** Indexes for large trees of folders of tasks. */
export const IndexFolders1764500000004 = createFolderIndexes(1764500000004);
