import {
  attachedFiles,
  attachment,
  attachmentFiles,
  attachmentsQuota,
  chronosAttachments,
  listAttachableObjects,
  managedFileContents,
  managedFiles,
  managedPicture,
  quota,
} from '@groupware/contracts';
import { fileStoreCheck, FILES, FileStoreSettings } from '@groupware/file-store';
import { PictureSettings } from '@groupware/pictures';
import { defineService, SecretKeySettings } from '@groupware/service-kit';
import { FileSweep, storedFileHandlers } from '@groupware/stored-files';
import { VirusScanConfig } from '@groupware/virus-scan';
import { AttachmentsConfig } from './configuration/attachments.config';
import { createCopyRequestedConsumer } from './consumers/copy-requested.consumer';
import { createObjectDeletedConsumer } from './consumers/object-deleted.consumer';
import { migrations, providers } from './attachments.parts';

/** The attachments service. */
export const service = defineService({
  name: 'attachments',
  contracts: [
    attachment,
    attachedFiles,
    attachmentFiles,
    chronosAttachments,
    quota,
    attachmentsQuota,
    managedFileContents,
    managedFiles,
    managedPicture,
  ],
  config: [AttachmentsConfig, SecretKeySettings, FileStoreSettings, VirusScanConfig, PictureSettings],
  directory: __dirname,
  handlers: storedFileHandlers(attachmentFiles),
  consumers: listAttachableObjects().flatMap((objects) => [
    createObjectDeletedConsumer(objects),
    ...(objects.copyRequested ? [createCopyRequestedConsumer(objects.id, objects.copyRequested)] : []),
  ]),
  migrations,
  providers,
  checks: (module) => ({ filestore: fileStoreCheck(module.get(FILES, { strict: false })) }),
  afterStart: async (module) => module.get(FileSweep, { strict: false }).start(),
  beforeClose: async (module) => module.get(FileSweep, { strict: false }).stop(),
});
