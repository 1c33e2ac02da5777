import { createFolderDetails } from '@groupware/folders';

/** Further data of folders of files. */
export const FolderDetails1764600000004 = createFolderDetails(1764600000004);
