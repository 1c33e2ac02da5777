import { createFolderIndexes } from '@groupware/folders';

/** Indexes for large trees of calendars. */
export const IndexFolders1764400000001 = createFolderIndexes(1764400000001);
