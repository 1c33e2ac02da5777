import { folderOwner } from '../folders/folder-owner.contract';

/** Folders of mailboxes, asked by the folders service. */
export const mailFolders = folderOwner('mail');
