import {
  documentAttachments,
  endingFolders,
  fileAccounts,
  fileServices,
  fileSpace,
  filesQuota,
  findFiles,
  infostore,
  infostoreFolders,
  keptFiles,
  audioCover,
  quota,
  sharedDocuments,
  fileSecrets,
} from '@groupware/contracts';
import { fileStoreCheck, FILES, FileStoreSettings } from '@groupware/file-store';
import { FOLDER_CONSUMERS, folderHandlers, quotaHandler } from '@groupware/folders';
import { OutboundSettings } from '@groupware/outbound';
import { PictureSettings } from '@groupware/pictures';
import { BasePathSettings, defineService, SecretKeySettings } from '@groupware/service-kit';
import { FileSweep, storedFileHandlers } from '@groupware/stored-files';
import { VirusScanConfig } from '@groupware/virus-scan';
import { UserChangedConsumer } from './consumers/user-changed.consumer';
import { DocumentQuota } from './documents/document-quota';
import { FilesConfig } from './files.config';
import { migrations, providers } from './files.parts';
import { StorageSettings } from './storages/storage-settings';

/** The files service. */
export const service = defineService({
  name: 'files',
  contracts: [
    fileSecrets,
    findFiles,
    infostore,
    infostoreFolders,
    keptFiles,
    fileSpace,
    filesQuota,
    fileServices,
    fileAccounts,
    sharedDocuments,
    audioCover,
    documentAttachments,
    endingFolders,
  ],
  config: [
    FilesConfig,
    StorageSettings,
    BasePathSettings,
    SecretKeySettings,
    FileStoreSettings,
    VirusScanConfig,
    PictureSettings,
    OutboundSettings,
  ],
  directory: __dirname,
  calls: [quota.filestore],
  consumers: [...FOLDER_CONSUMERS, UserChangedConsumer],
  handlers: [
    ...folderHandlers(infostoreFolders),
    ...storedFileHandlers(keptFiles),
    quotaHandler(filesQuota, DocumentQuota),
  ],
  migrations,
  providers,
  checks: (module) => ({ filestore: fileStoreCheck(module.get(FILES, { strict: false })) }),
  afterStart: async (module) => module.get(FileSweep, { strict: false }).start(),
  beforeClose: async (module) => module.get(FileSweep, { strict: false }).stop(),
});
