import { folders, shareManagement, sync } from '@groupware/contracts';
import { directoryProvider } from '@groupware/directory';
import { BasePathSettings, defineService } from '@groupware/service-kit';
import { FoldersSettings } from './folders.config';
import { FolderClearing } from './owners/folder-clearing';
import { Owners } from './owners/owners';
import { ParentCheck } from './owners/parent-check';
import { GuestEntries } from './sharing/guest-entries';
import { ShareAddresses } from './sharing/share-addresses';
import { LinkTargets } from './sharing/link-targets';
import { ShareLinks } from './sharing/share-links';
import { ShareMails } from './sharing/share-mails';
import { TreeLoader } from './tree/tree-loader';

/** The folders service. */
export const service = defineService({
  name: 'folders',
  contracts: [folders, shareManagement, sync],
  config: [BasePathSettings, FoldersSettings],
  directory: __dirname,
  providers: [
    FolderClearing,
    Owners,
    ParentCheck,
    TreeLoader,
    LinkTargets,
    ShareLinks,
    GuestEntries,
    ShareAddresses,
    ShareMails,
    directoryProvider('folders'),
  ],
});
