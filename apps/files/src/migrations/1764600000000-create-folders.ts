import { createFolderTables } from '@groupware/folders';

/** Tables of folders of files. */
export const CreateFolders1764600000000 = createFolderTables(1764600000000);
