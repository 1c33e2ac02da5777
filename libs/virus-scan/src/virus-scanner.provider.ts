import type { FactoryProvider } from '@nestjs/common';
import { ClamdScanner } from './clamd-scanner';
import { VirusScanConfig } from './virus-scan.config';
import type { VirusScanner } from './virus-scanner';

/** Token of the scanner; undefined where none is configured. */
export const VIRUS_SCANNER = Symbol('virus scanner');

/** Provides the configured scanner. */
export const virusScanProvider: FactoryProvider<VirusScanner | undefined> = {
  provide: VIRUS_SCANNER,
  inject: [VirusScanConfig],
  useFactory: (config: VirusScanConfig) =>
    config.clamdUrl
      ? new ClamdScanner({ url: config.clamdUrl, maxBytes: config.maxBytes, patienceMs: config.patienceMs })
      : undefined,
};
