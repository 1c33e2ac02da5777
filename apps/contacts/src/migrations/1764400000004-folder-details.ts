import { createFolderDetails } from '@groupware/folders';

/** Further data of folders of contacts. */
export const FolderDetails1764400000004 = createFolderDetails(1764400000004);
