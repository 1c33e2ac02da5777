import { createFolderTables } from '@groupware/folders';

/** Tables of folders of contacts. */
export const CreateFolders1764400000000 = createFolderTables(1764400000000);
