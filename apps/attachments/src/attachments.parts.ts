import { fileStoreProvider } from '@groupware/file-store';
import { virusScanProvider } from '@groupware/virus-scan';
import type { Provider } from '@nestjs/common';
import { Archive } from './archive';
import { AttachedObjects } from './attached-objects';
import { AttachmentWriter } from './attachment-writer';
import { Detachment } from './detachment';
import { FileSweep } from './file-sweep';
import { FileGatherer } from './file-gatherer';
import { CreateAttachments1763700000000 } from './migrations/1763700000000-create-attachments';
import { PlaceFiles1763841800000 } from './migrations/1763841800000-place-files';
import { AttachmentRepository } from './persistence/attachment.repository';
import { StoredFileRepository } from './persistence/stored-file.repository';
import { ScanCheck } from './scan-check';
import { StoredFiles } from './stored-files';

/** Steps of the schema in order. */
export const migrations = [CreateAttachments1763700000000, PlaceFiles1763841800000] as const;

/** What handlers and consumers are made of. */
export const providers: Provider[] = [
  fileStoreProvider,
  virusScanProvider,
  Archive,
  AttachedObjects,
  AttachmentRepository,
  AttachmentWriter,
  Detachment,
  FileGatherer,
  FileSweep,
  ScanCheck,
  StoredFileRepository,
  StoredFiles,
];
