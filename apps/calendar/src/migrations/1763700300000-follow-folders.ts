import { createFolderTracking } from '@groupware/folders';

/** Tables for `updates` of calendar folders. */
export const FollowFolders1763700300000 = createFolderTracking(1763700300000);
