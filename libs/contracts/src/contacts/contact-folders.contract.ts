import { folderOwner } from '../folders/folder-owner.contract';

/** Folders of the contacts module, asked by the folders service and by modules that attach things to contacts. */
export const contactFolders = folderOwner('contacts');
