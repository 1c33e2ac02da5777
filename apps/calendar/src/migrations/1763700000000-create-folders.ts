import { createFolderTables } from '@groupware/folders';

/** Tables of calendar folders. */
export const CreateFolders1763700000000 = createFolderTables(1763700000000);
