import { createStoredFileTables } from '@groupware/stored-files';

/** Tables of the bytes of documents. */
export const StoreFiles1764600000001 = createStoredFileTables(1764600000001);
