import { createFolderTables } from '@groupware/folders';

/** Tables of folders of tasks. */
export const CreateFolders1764500000000 = createFolderTables(1764500000000);
