import path from 'node:path';
import { fileStoreFor, FolderStore, type FileStore } from '@groupware/file-store';
import { ProcessSettings, Setting } from '@groupware/service-kit';
import type { Provider } from '@nestjs/common';

/** Token of the file store for reports that wait to be sent. */
export const FEEDBACK_FILES = Symbol('feedback files');

/** Settings of user feedback. */
export class FeedbackConfig {
  @Setting({ env: 'FILESTORE_URL', doc: 'File store: file:///folder; default: files in DATA_DIR' })
  fileStoreUrl = '';
}

/** The file store of reports. */
export const feedbackFilesProvider: Provider = {
  provide: FEEDBACK_FILES,
  inject: [FeedbackConfig, ProcessSettings],
  useFactory: (config: FeedbackConfig, process: ProcessSettings): FileStore =>
    config.fileStoreUrl ? fileStoreFor(config.fileStoreUrl) : new FolderStore(path.resolve(process.dataDir, 'files')),
};
