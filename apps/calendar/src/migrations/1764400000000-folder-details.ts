import { createFolderDetails } from '@groupware/folders';

/** Further data of calendar folders. */
export const FolderDetails1764400000000 = createFolderDetails(1764400000000);
