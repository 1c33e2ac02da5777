/** What is known of bytes once they are stored. */
export interface StoredFile {
  /** Opaque and unguessable; the only way back to the bytes. */
  readonly reference: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
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
}

/** Files by reference, streamed both ways. Drivers: a folder now; the interface fits object stores as well. */
export interface FileStore {
  /** Stores a stream. When it fails or is too large, nothing is left behind. */
  write(stream: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<StoredFile>;
  /** Streams the bytes of a file. An unknown or malformed reference fails with UPL-0001. */
  read(reference: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Size in bytes, or undefined when there is no such file. */
  size(reference: string): Promise<number | undefined>;
  /** Removes a file; false when there was none. */
  remove(reference: string): Promise<boolean>;
  /** Removes leftovers of writes that were interrupted more than `olderThanMs` ago; returns how many. */
  sweep(olderThanMs: number): Promise<number>;
}
