import {
  fileAccounts,
  fileServices,
  fileSpace,
  findFiles,
  infostore,
  infostoreFolders,
  keptFiles,
  sharedDocuments,
} from '@groupware/contracts';
import { FileStoreSettings } from '@groupware/file-store';
import { folderHandlers } from '@groupware/folders';
import { PictureSettings } from '@groupware/pictures';
import { BasePathSettings, defineService, SecretKeySettings } from '@groupware/service-kit';
import { FileSweep, storedFileHandlers } from '@groupware/stored-files';
import { VirusScanConfig } from '@groupware/virus-scan';
import { FilesConfig } from './files.config';
import { migrations, providers } from './files.parts';

/** The files service. */
export const service = defineService({
  name: 'files',
  contracts: [
    findFiles,
    infostore,
    infostoreFolders,
    keptFiles,
    fileSpace,
    fileServices,
    fileAccounts,
    sharedDocuments,
  ],
  config: [FilesConfig, BasePathSettings, SecretKeySettings, FileStoreSettings, VirusScanConfig, PictureSettings],
  directory: __dirname,
  handlers: [...folderHandlers(infostoreFolders), ...storedFileHandlers(keptFiles)],
  migrations,
  providers,
  afterStart: async (module) => module.get(FileSweep, { strict: false }).start(),
  beforeClose: async (module) => module.get(FileSweep, { strict: false }).stop(),
});
