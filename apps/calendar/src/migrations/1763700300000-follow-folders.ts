import { followFolderTables } from '@groupware/folders';

/** What `updates` of calendar folders need. */
export const FollowFolders1763700300000 = followFolderTables(1763700300000);
