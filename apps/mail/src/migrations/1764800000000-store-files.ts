import { createStoredFileTables } from '@groupware/stored-files';

/** Tables of the bytes of files that snippets keep. */
export const StoreFiles1764800000000 = createStoredFileTables(1764800000000);
