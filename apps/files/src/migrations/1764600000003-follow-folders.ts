import { createFolderTracking } from '@groupware/folders';

/** Tables for `updates` of folders of files. */
export const FollowFolders1764600000003 = createFolderTracking(1764600000003);
