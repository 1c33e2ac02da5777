import type { FactoryProvider } from '@nestjs/common';
import { ClamdScanner } from './clamd-scanner';
import { VirusScanConfig } from './virus-scan.config';

/** What a scan found. `tooLarge`: the scanner took only a part, so nothing is known. */
export type ScanResult =
  | { readonly verdict: 'clean' }
  | { readonly verdict: 'infected'; readonly virus: string }
  | { readonly verdict: 'tooLarge' };

/** Scans bytes for viruses. Every method rejects when the scanner does not answer; that is never "clean". */
export interface VirusScanner {
  /** Most bytes of one scan. */
  readonly maxBytes: number;
  /** Scans a stream, no faster than the scanner takes it. */
  scan(bytes: AsyncIterable<Uint8Array>): Promise<ScanResult>;
  /** Names program and signatures: a result holds as long as this stays. */
  signatures(): Promise<string>;
}

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
