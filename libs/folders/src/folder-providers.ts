import type { Provider } from '@nestjs/common';
import { BranchLinks } from './branch-links';
import { DefaultFolder } from './default-folder';
import { EntityCheck } from './entity-check';
import { FolderEditor } from './folder-editor';
import { FolderListing } from './folder-listing';
import { FolderParts } from './folder-parts';
import { FolderModuleRules } from './folder-module';
import { FolderHandover } from './folder-handover';
import { FolderRemoval } from './folder-removal';
import { FolderTrash } from './folder-trash';
import { TrashRepository } from './persistence/trash.repository';
import { FolderRepository } from './persistence/folder.repository';
import { FolderRightsRepository } from './persistence/folder-rights.repository';
import { FolderScopes } from './persistence/folder-scope.repository';
import { HandoverRepository } from './persistence/handover.repository';
import { WithdrawalNotices } from './withdrawal-notices';
import { Withdrawals } from './withdrawals';
import { FolderWriter } from './persistence/folder-writer.repository';

/** Providers of a service with folders, given the rules of its module. */
export const folderProviders = (rules: new (...args: never[]) => FolderModuleRules): Provider[] => [
  FolderRepository,
  FolderRightsRepository,
  FolderScopes,
  FolderParts,
  FolderWriter,
  FolderEditor,
  BranchLinks,
  FolderListing,
  FolderRemoval,
  FolderTrash,
  TrashRepository,
  FolderHandover,
  HandoverRepository,
  DefaultFolder,
  EntityCheck,
  Withdrawals,
  WithdrawalNotices,
  { provide: FolderModuleRules, useClass: rules },
];
