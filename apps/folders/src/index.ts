import { folders } from '@groupware/contracts';
import { directoryProvider } from '@groupware/directory';
import { defineService } from '@groupware/service-kit';
import { Owners } from './owners';
import { ParentCheck } from './parent-check';
import { TreeLoader } from './tree/tree-loader';

/** The folders service. */
export const service = defineService({
  name: 'folders',
  contracts: [folders],
  directory: __dirname,
  providers: [Owners, ParentCheck, TreeLoader, directoryProvider('folders')],
});
