import { Pictures } from '@groupware/pictures';
import { storedFileProviders } from '@groupware/stored-files';
import type { Provider } from '@nestjs/common';
import { Archive } from './attachments/archive';
import { AttachedObjects } from './objects/attached-objects';
import { AttachmentCopies } from './attachments/attachment-copies';
import { AttachmentDetachment } from './attachments/attachment-detachment';
import { AttachmentUploads } from './attachments/attachment-uploads';
import { AttachmentWriter } from './attachments/attachment-writer';
import { OwnerNotices } from './attachments/owner-notices';
import { AttachmentRemover } from './attachments/attachment-remover';
import { AttachmentsConfig } from './configuration/attachments.config';
import { UsedSpace } from './files/used-space';
import { AttachmentFileUses } from './files/attachment-file-uses';
import { CreateAttachments1763700000000 } from './migrations/1763700000000-create-attachments';
import { ExpiredFiles } from './managed/expired-files';
import { ManagedFiles } from './managed/managed-files';
import { UploadScan } from './files/upload-scan';
import { ManagedFileRepository } from './managed/managed-file.repository';
import { PlaceFiles1763841800000 } from './migrations/1763841800000-place-files';
import { CreateManagedFiles1764600000000 } from './migrations/1764600000000-create-managed-files';
import { NoteCopies1795600000000 } from './migrations/1795600000000-note-copies';
import { AttachmentRepository } from './persistence/attachment.repository';

/** Steps of the schema in order. */
export const migrations = [
  CreateAttachments1763700000000,
  PlaceFiles1763841800000,
  CreateManagedFiles1764600000000,
  NoteCopies1795600000000,
] as const;

/** Providers of handlers and consumers. */
export const providers: Provider[] = [
  ...storedFileProviders(AttachmentFileUses, AttachmentsConfig),
  Archive,
  AttachedObjects,
  AttachmentCopies,
  AttachmentDetachment,
  AttachmentRepository,
  AttachmentUploads,
  OwnerNotices,
  AttachmentWriter,
  AttachmentRemover,
  UsedSpace,
  ExpiredFiles,
  ManagedFileRepository,
  ManagedFiles,
  Pictures,
  UploadScan,
];
