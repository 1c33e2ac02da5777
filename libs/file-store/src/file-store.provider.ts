import path from 'node:path';
import { ProcessSettings, Setting } from '@groupware/service-kit';
import type { FactoryProvider } from '@nestjs/common';
import type { FileStore } from './file-store';
import { fileStoreFor } from './file-store-for';
import { FolderStore } from './folder-store';

/** Token of the file store. */
export const FILES = Symbol('files');

/** Where files live. */
export class FileStoreSettings {
  @Setting({
    env: 'FILESTORE_URL',
    doc: 'File store: file:///folder or s3://key:secret@bucket/prefix; default: files in DATA_DIR',
  })
  fileStoreUrl = '';
}

/** Provides the file store of the process. The service lists {@link FileStoreSettings} among its settings. */
export const fileStoreProvider: FactoryProvider<FileStore> = {
  provide: FILES,
  inject: [FileStoreSettings, ProcessSettings],
  useFactory: ({ fileStoreUrl }: FileStoreSettings, { dataDir }: ProcessSettings) =>
    fileStoreUrl ? fileStoreFor(fileStoreUrl) : new FolderStore(path.resolve(dataDir, 'files')),
};
