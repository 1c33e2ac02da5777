import type { Provider } from '@nestjs/common';
import { DefaultFolder } from './default-folder';
import { EntityCheck } from './entity-check';
import { FolderEditor } from './folder-editor';
import { FolderModuleRules } from './folder-module';
import { FolderRepository } from './persistence/folder.repository';

/** What a service needs to keep folders, given the rules of its module. */
export const folderProviders = (rules: new (...args: never[]) => FolderModuleRules): Provider[] => [
  FolderRepository,
  FolderEditor,
  DefaultFolder,
  EntityCheck,
  { provide: FolderModuleRules, useClass: rules },
];
