/** Outcome of a scan; `tooLarge`: the scanner took only a part, so nothing is known. */
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
