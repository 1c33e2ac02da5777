import { fileStoreProvider } from '@groupware/file-store';
import { virusScanProvider } from '@groupware/virus-scan';
import type { Provider } from '@nestjs/common';
import { Archive } from './attachments/archive';
import { AttachedObjects } from './objects/attached-objects';
import { AttachmentDetachment } from './attachments/attachment-detachment';
import { AttachmentUploads } from './attachments/attachment-uploads';
import { AttachmentWriter } from './attachments/attachment-writer';
import { AttachmentRemover } from './attachments/attachment-remover';
import { FileSweep } from './files/file-sweep';
import { FileGatherer } from './files/file-gatherer';
import { CreateAttachments1763700000000 } from './migrations/1763700000000-create-attachments';
import { PlaceFiles1763841800000 } from './migrations/1763841800000-place-files';
import { AttachmentRepository } from './persistence/attachment.repository';
import { StoredFileRepository } from './persistence/stored-file.repository';
import { ScanCheck } from './files/scan-check';
import { StoredFiles } from './files/stored-files';

/** Steps of the schema in order. */
export const migrations = [CreateAttachments1763700000000, PlaceFiles1763841800000] as const;

/** Providers of handlers and consumers. */
export const providers: Provider[] = [
  fileStoreProvider,
  virusScanProvider,
  Archive,
  AttachedObjects,
  AttachmentDetachment,
  AttachmentRepository,
  AttachmentUploads,
  AttachmentWriter,
  AttachmentRemover,
  FileGatherer,
  FileSweep,
  ScanCheck,
  StoredFileRepository,
  StoredFiles,
];
