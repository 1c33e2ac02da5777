import { createFolderTracking } from '@groupware/folders';

/** Tables for `updates` of folders of contacts. */
export const FollowFolders1764400000002 = createFolderTracking(1764400000002);
