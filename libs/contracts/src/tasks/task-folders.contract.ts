import { folderOwner } from '../folders/folder-owner.contract';

/** Folders of the tasks module, asked by the folders service and by modules that attach things to tasks. */
export const taskFolders = folderOwner('tasks');
