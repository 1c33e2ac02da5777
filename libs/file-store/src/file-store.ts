/** Description of bytes that are stored. */
export interface StoredFile {
  /** Opaque and unguessable; the only way back to the bytes. */
  readonly reference: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Lower-case hex, where it was asked for. */
  readonly md5?: string;
}

/** Part of a file: both bounds in bytes, `end` inclusive as in HTTP ranges. */
export interface ByteRange {
  readonly start: number;
  readonly end?: number;
}

/** Options of a write. */
export interface WriteOptions {
  /** More bytes than this are refused with UPL-0005 and leave nothing behind. */
  readonly maxBytes: number;
  /** Writes to the store provisioned for this context. A store that stands alone takes everything itself. */
  readonly contextId?: number;
  /** Writes to this store; before {@link WriteOptions.contextId}. */
  readonly storeId?: number;
  /** Also hashes the bytes as clients do that compare files: MD5. */
  readonly hashesMd5?: boolean;
}

/**
 * Files by reference, streamed both ways. Drivers: a folder, S3. Files written stay apart until they are claimed:
 * no other caller removes claimed files, and unclaimed ones go by {@link FileStore.discard} or with the sweep.
 */
export interface FileStore {
  /** Stores a stream, unclaimed. When it fails or is too large, nothing is left behind. */
  write(stream: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<StoredFile>;
  /** Streams the bytes of a file. An unknown or malformed reference fails with UPL-0001. */
  read(reference: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Size in bytes, or undefined when there is no such file. */
  size(reference: string): Promise<number | undefined>;
  /** Keeps a file until it is removed. Repeatable; false when there is no such file. */
  claim(reference: string): Promise<boolean>;
  /** Removes a file unless it is claimed; false when nothing was removed. */
  discard(reference: string): Promise<boolean>;
  /** Removes a file, claimed or not; false when there was none. */
  remove(reference: string): Promise<boolean>;
  /**
   * Removes leftovers of interrupted writes and files that were not claimed, when they are older than `olderThanMs`; returns
   * how many. Must be longer than any call may take: a claim that comes later fails.
   */
  sweep(olderThanMs: number): Promise<number>;
}
