import path from 'node:path';
import { Caller, EventBus } from '@groupware/messaging';
import {
  Clock,
  IsSecretKeys,
  ProcessSettings,
  Secret,
  SECRET_KEY_SETTING,
  secretKeysOf,
  Setting,
} from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import type { FactoryProvider } from '@nestjs/common';
import { ValidateIf } from 'class-validator';
import { fileStoreFor } from './file-store-for';
import { FileStores } from './file-stores';
import { FolderStore } from './folder-store';
import { ProvisionedStores, STORE_CREDENTIALS, type Unseal } from './provisioned-stores';

/** Token of the file store. */
export const FILES = Symbol('files');

/** Where files live. */
export class FileStoreSettings {
  @Setting({
    env: 'FILESTORE_URL',
    doc: 'File store: file:///folder or s3://key:secret@bucket/prefix; default: files in DATA_DIR',
    type: 'secret',
  })
  fileStoreUrl = new Secret('');

  /** Empty where no registered store has credentials. */
  @Setting(SECRET_KEY_SETTING)
  @ValidateIf(({ secretKey }: FileStoreSettings) => secretKey.reveal() !== '')
  @IsSecretKeys()
  secretKey = new Secret('');

  /** Opens credentials of registered stores. */
  unsealer(): Unseal {
    if (this.secretKey.reveal() === '') return () => undefined;
    const sealed = new SealedText(secretKeysOf(this.secretKey), STORE_CREDENTIALS);
    return (text, owner) => sealed.open(text, owner);
  }
}

/**
 * Provides the file stores of the installation: the one of the process, and those that are registered. The service lists
 * {@link FileStoreSettings} among its settings.
 */
export const fileStoreProvider: FactoryProvider<FileStores> = {
  provide: FILES,
  inject: [FileStoreSettings, ProcessSettings, Caller, EventBus, Clock],
  useFactory: (
    settings: FileStoreSettings,
    { dataDir }: ProcessSettings,
    caller: Caller,
    events: EventBus,
    clock: Clock,
  ) => {
    const url = settings.fileStoreUrl.reveal();
    const own = url ? fileStoreFor(url) : new FolderStore(path.resolve(dataDir, 'files'));
    const places = new ProvisionedStores(caller, settings.unsealer(), () => clock.now());
    places.follow(events);
    return new FileStores(own, places);
  },
};
