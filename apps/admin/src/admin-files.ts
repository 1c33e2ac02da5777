import path from 'node:path';
import { fileStoreFor, FolderStore, type FileStore } from '@groupware/file-store';
import { ProcessSettings, Setting } from '@groupware/service-kit';
import type { Provider } from '@nestjs/common';

/** Token of the file store for what waits to be sent. */
export const ADMIN_FILES = Symbol('admin files');

/** Settings of the file store. */
export class AdminFilesConfig {
  @Setting({ env: 'FILESTORE_URL', doc: 'File store: file:///folder; default: files in DATA_DIR' })
  fileStoreUrl = '';
}

/** The file store of the service. */
export const adminFilesProvider: Provider = {
  provide: ADMIN_FILES,
  inject: [AdminFilesConfig, ProcessSettings],
  useFactory: (config: AdminFilesConfig, process: ProcessSettings): FileStore =>
    config.fileStoreUrl ? fileStoreFor(config.fileStoreUrl) : new FolderStore(path.resolve(process.dataDir, 'files')),
};
