import path from 'node:path';
import { fileStoreFor, type FileStore, FolderStore } from '@groupware/file-store';
import { ProcessSettings } from '@groupware/service-kit';
import { virusScanProvider } from '@groupware/virus-scan';
import type { Provider } from '@nestjs/common';
import { Archive } from './archive';
import { AttachedObjects } from './attached-objects';
import { AttachmentsConfig, FILES } from './attachments.config';
import { AttachmentWriter } from './attachment-writer';
import { Detachment } from './detachment';
import { FileSweep } from './file-sweep';
import { CreateAttachments1763700000000 } from './migrations/1763700000000-create-attachments';
import { AttachmentRepository } from './persistence/attachment.repository';
import { StoredFileRepository } from './persistence/stored-file.repository';
import { ScanCheck } from './scan-check';
import { StoredFiles } from './stored-files';

/** Steps of the schema in order. */
export const migrations = [CreateAttachments1763700000000] as const;

/** What handlers and consumers are made of. */
export const providers: Provider[] = [
  {
    provide: FILES,
    inject: [AttachmentsConfig, ProcessSettings],
    useFactory: (config: AttachmentsConfig, process: ProcessSettings): FileStore =>
      config.fileStoreUrl ? fileStoreFor(config.fileStoreUrl) : new FolderStore(path.resolve(process.dataDir, 'files')),
  },
  virusScanProvider,
  Archive,
  AttachedObjects,
  AttachmentRepository,
  AttachmentWriter,
  Detachment,
  FileSweep,
  ScanCheck,
  StoredFileRepository,
  StoredFiles,
];
