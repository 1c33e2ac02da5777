import path from 'node:path';
import { Caller, EventBus } from '@groupware/messaging';
import { Clock, ProcessSettings, Secret, SecretKeySettings, Setting } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import type { FactoryProvider } from '@nestjs/common';
import { fileStoreFor } from './file-store-for';
import { FileStores } from './file-stores';
import { FolderStore } from './folder-store';
import { ProvisionedStores, STORE_CREDENTIALS } from './provisioned-stores';

/** Token of the file store. */
export const FILES = Symbol('files');

/** Location of the files. */
export class FileStoreSettings {
  @Setting({
    env: 'FILESTORE_URL',
    doc: 'File store: file:///folder or s3://key:secret@bucket/prefix; default: files in DATA_DIR',
    type: 'secret',
  })
  fileStoreUrl = new Secret('');
}

/**
 * Provides the file stores of the installation: the one of the process, and those that are registered. The service lists
 * {@link FileStoreSettings} and {@link SecretKeySettings} among its settings: credentials of registered stores are sealed.
 */
export const fileStoreProvider: FactoryProvider<FileStores> = {
  provide: FILES,
  inject: [FileStoreSettings, SecretKeySettings, ProcessSettings, Caller, EventBus, Clock],
  useFactory: (
    settings: FileStoreSettings,
    keys: SecretKeySettings,
    { dataDir }: ProcessSettings,
    caller: Caller,
    events: EventBus,
    clock: Clock,
  ) => {
    const url = settings.fileStoreUrl.reveal();
    const own = url ? fileStoreFor(url) : new FolderStore(path.resolve(dataDir, 'files'));
    const sealed = new SealedText(keys.secretKeys(), STORE_CREDENTIALS);
    const places = new ProvisionedStores(
      caller,
      (text, owner) => sealed.open(text, owner),
      () => clock.now(),
    );
    places.follow(events);
    return new FileStores(own, places);
  },
};
