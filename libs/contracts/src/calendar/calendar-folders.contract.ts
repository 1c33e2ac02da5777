import { folderOwner } from '../folders/folder-owner.contract';

/** Folders of the calendar module, asked by the folders service and by modules that attach things to appointments. */
export const calendarFolders = folderOwner('calendar');
