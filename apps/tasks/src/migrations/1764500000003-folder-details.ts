import { createFolderDetails } from '@groupware/folders';

/** Further data of folders of tasks. */
export const FolderDetails1764500000003 = createFolderDetails(1764500000003);
