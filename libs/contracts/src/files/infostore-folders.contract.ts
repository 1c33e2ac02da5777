import { folderOwner } from '../folders/folder-owner.contract';

/** Folders of files, asked by the folders service and by modules that attach things to documents. */
export const infostoreFolders = folderOwner('infostore', 'files');
