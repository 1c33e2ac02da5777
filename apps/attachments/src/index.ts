import {
  attachedFiles,
  attachment,
  attachmentFiles,
  attachmentsQuota,
  chronosAttachments,
  listAttachableObjects,
  quota,
} from '@groupware/contracts';
import { FileStoreSettings } from '@groupware/file-store';
import { defineService, SecretKeySettings } from '@groupware/service-kit';
import { VirusScanConfig } from '@groupware/virus-scan';
import { AttachmentsConfig } from './configuration/attachments.config';
import { createObjectDeletedConsumer } from './consumers/object-deleted.consumer';
import { migrations, providers } from './attachments.parts';
import { FileSweep } from './files/file-sweep';

/** The attachments service. */
export const service = defineService({
  name: 'attachments',
  contracts: [attachment, attachedFiles, attachmentFiles, chronosAttachments, quota, attachmentsQuota],
  config: [AttachmentsConfig, SecretKeySettings, FileStoreSettings, VirusScanConfig],
  directory: __dirname,
  consumers: listAttachableObjects().map(createObjectDeletedConsumer),
  migrations,
  providers,
  afterStart: async (module) => module.get(FileSweep, { strict: false }).start(),
  beforeClose: async (module) => module.get(FileSweep, { strict: false }).stop(),
});
