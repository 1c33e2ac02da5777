import { fileStoreProvider } from '@groupware/file-store';
import { virusScanProvider } from '@groupware/virus-scan';
import type { Provider, Type } from '@nestjs/common';
import { FileClaims } from './file-claims';
import { FileGatherer } from './file-gatherer';
import { FileSweep } from './file-sweep';
import { FileUses, SweepSettings } from './file-uses';
import { ScanCheck } from './scan-check';
import { StoredFileRepository } from './stored-file.repository';
import { StoredFiles } from './stored-files';

/** Providers of a service that stores files, given what it does with them and its settings of the sweep. */
export const storedFileProviders = (uses: Type<FileUses>, settings: Type<SweepSettings>): Provider[] => [
  fileStoreProvider,
  virusScanProvider,
  FileClaims,
  FileGatherer,
  FileSweep,
  ScanCheck,
  StoredFileRepository,
  StoredFiles,
  { provide: FileUses, useClass: uses },
  { provide: SweepSettings, useExisting: settings },
];
