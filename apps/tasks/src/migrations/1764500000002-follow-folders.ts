import { createFolderTracking } from '@groupware/folders';

/** Tables for `updates` of folders of tasks. */
export const FollowFolders1764500000002 = createFolderTracking(1764500000002);
