import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  UploadPartCopyCommand,
  type ServerSideEncryption,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { FileErrors, UploadErrors } from '@groupware/contracts';
import type { ByteRange, FileStore, StoredFile, WriteOptions } from './file-store';

/** Bucket and prefix of the files of an S3 store. */
export interface S3Settings {
  readonly bucket: string;
  /** Begins every key; empty or ending in `/`. */
  readonly prefix: string;
  readonly region: string;
  /** URL of a service that is not the one of AWS. */
  readonly endpoint?: string;
  /** The bucket is part of the path instead of the host name. */
  readonly pathStyle: boolean;
  /** Absent: what the environment of the process gives, such as the role of the machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** `AES256` or `aws:kms`: encryption by the store. */
  readonly encryption?: string;
  /** Key of `aws:kms`. */
  readonly encryptionKey?: string;
}

const REFERENCE = /^[0-9a-f]{32}$/;
/** Part of an upload that is kept in memory, bytes; at most {@link PARTS_AT_ONCE} of them. 10,000 parts make 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
/** Largest object that one copy takes, and the parts of larger ones, bytes. */
const COPY_BYTES = 1024 ** 3;

const isMissing = (error: unknown): boolean =>
  ['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes((error as Error).name) ||
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404;
/** Names of answers of different services that mean the same. */
const FULL = ['InsufficientStorage', 'XMinioStorageFull', 'QuotaExceeded', 'EntityTooLarge'];
/** Uploads that a sweep may fail to remove before the store is taken as down. */
const MOST_FAILURES = 20;
/** Longest wait for a connection, and for any byte on one, ms. */
const TIMEOUTS = { connectionTimeout: 5_000, socketTimeout: 60_000 };

/** Turns a failure of the store into one for callers; without its address. */
function failureOf(cause: unknown): Error {
  const { name, code, $metadata } = cause as Error & { code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  if (FULL.includes(name) || status === 507) return FileErrors.full().with({ cause });
  const answered = status !== undefined && status < 500;
  return (answered ? FileErrors.failed(name) : FileErrors.unreachable(code ?? name)).with({ cause });
}

const unknownFile = () => UploadErrors.failed('the file does not exist');

/** Files in a bucket. Uploads go in parts; a claim is a copy within the store. */
export class S3Store implements FileStore {
  private readonly client: S3Client;
  private readonly encrypted: { ServerSideEncryption?: ServerSideEncryption; SSEKMSKeyId?: string };

  constructor(private readonly settings: S3Settings) {
    const { region, endpoint, pathStyle, credentials, encryption, encryptionKey } = settings;
    this.client = new S3Client({
      region,
      endpoint,
      forcePathStyle: pathStyle,
      requestHandler: TIMEOUTS,
      ...(credentials ? { credentials } : {}),
      // Other services than the one of AWS refuse the newer checksums; ours is made anyway.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    this.encrypted = {
      ...(encryption ? { ServerSideEncryption: encryption as ServerSideEncryption } : {}),
      ...(encryptionKey ? { SSEKMSKeyId: encryptionKey } : {}),
    };
  }

  async write(stream: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<StoredFile> {
    const reference = randomBytes(16).toString('hex');
    const hash = createHash('sha256');
    const md5 = options.hashesMd5 ? createHash('md5') : undefined;
    let sizeBytes = 0;
    let source: { readonly error: unknown } | undefined;
    async function* counted(): AsyncGenerator<Uint8Array> {
      try {
        for await (const chunk of stream) {
          sizeBytes += chunk.byteLength;
          if (sizeBytes > options.maxBytes) throw UploadErrors.tooLarge(sizeBytes, options.maxBytes);
          hash.update(chunk);
          md5?.update(chunk);
          yield chunk;
        }
      } catch (error) {
        source = { error };
        throw error;
      }
    }
    const upload = new Upload({
      client: this.client,
      params: {
        Bucket: this.settings.bucket,
        Key: this.incoming(reference),
        Body: Readable.from(counted(), { objectMode: false }),
        ...this.encrypted,
      },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    });
    try {
      await upload.done();
    } catch (error) {
      await upload.abort().catch(() => undefined);
      throw source ? source.error : failureOf(error);
    }
    return { reference, sizeBytes, sha256: hash.digest('hex'), ...(md5 && { md5: md5.digest('hex') }) };
  }

  async *read(reference: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    // Nothing has no first byte: S3 refuses every range of an empty object.
    const size = range ? await this.size(reference) : undefined;
    if (range && (size === undefined || range.start >= size)) {
      if (size === undefined) throw unknownFile();
      return;
    }
    const body = await this.body(reference, range && `bytes=${range.start}-${range.end ?? ''}`);
    try {
      for await (const chunk of body) yield chunk as Buffer;
    } catch (error) {
      throw failureOf(error);
    } finally {
      body.destroy();
    }
  }

  async size(reference: string): Promise<number | undefined> {
    for (const key of this.placesOf(reference)) {
      const size = await this.sizeOf(key);
      if (size !== undefined) return size;
    }
    return undefined;
  }

  async claim(reference: string): Promise<boolean> {
    if (!REFERENCE.test(reference)) return false;
    const [from, to] = this.placesOf(reference) as [string, string];
    const size = await this.sizeOf(from);
    if (size === undefined) return (await this.sizeOf(to)) !== undefined;
    try {
      await (size > COPY_BYTES ? this.copyInParts(from, to, size) : this.copy(from, to));
    } catch (error) {
      if (isMissing(error)) return (await this.sizeOf(to)) !== undefined;
      throw error;
    }
    await this.drop(from);
    return true;
  }

  async discard(reference: string): Promise<boolean> {
    return REFERENCE.test(reference) && this.dropIfThere(this.incoming(reference));
  }

  async remove(reference: string): Promise<boolean> {
    let removed = false;
    for (const key of this.placesOf(reference)) removed = (await this.dropIfThere(key)) || removed;
    return removed;
  }

  async sweep(olderThanMs: number): Promise<number> {
    const before = Date.now() - olderThanMs;
    let removed = await this.abortOldUploads(before);
    const failures: unknown[] = [];
    for (let token: string | undefined; ;) {
      const page = await this.send(
        new ListObjectsV2Command({ Bucket: this.settings.bucket, Prefix: this.incoming(''), ContinuationToken: token }),
      );
      for (const { Key, LastModified } of page.Contents ?? [])
        if (Key && LastModified && LastModified.getTime() < before)
          try {
            await this.drop(Key);
            removed++;
          } catch (error) {
            // One that cannot be removed keeps no others, but after some the store is taken as down.
            failures.push(error);
            if (failures.length >= MOST_FAILURES) throw error;
          }
      token = page.NextContinuationToken;
      if (!token) break;
    }
    if (failures.length > 0) throw failures[0];
    return removed;
  }

  /** Sends a command; what is missing stays what it is, other failures are those of the catalogue. */
  private readonly send = ((command: Parameters<S3Client['send']>[0]) =>
    this.client.send(command).catch((error: unknown) => {
      throw isMissing(error) ? error : failureOf(error);
    })) as S3Client['send'];

  private readonly incoming = (reference: string): string => `${this.settings.prefix}incoming/${reference}`;

  /** Lists the places where a file may be, in the order in which a claim moves it. */
  private placesOf(reference: string): string[] {
    if (!REFERENCE.test(reference)) return [];
    const { prefix } = this.settings;
    return [this.incoming(reference), `${prefix}${reference.slice(0, 2)}/${reference.slice(2, 4)}/${reference}`];
  }

  private async body(reference: string, Range: string | undefined): Promise<Readable> {
    for (const Key of this.placesOf(reference))
      try {
        const { Body } = await this.send(new GetObjectCommand({ Bucket: this.settings.bucket, Key, Range }));
        return Body as Readable;
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    throw unknownFile();
  }

  private async sizeOf(Key: string): Promise<number | undefined> {
    try {
      return (await this.send(new HeadObjectCommand({ Bucket: this.settings.bucket, Key }))).ContentLength;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  private async drop(Key: string): Promise<void> {
    await this.send(new DeleteObjectCommand({ Bucket: this.settings.bucket, Key }));
  }

  private async dropIfThere(key: string): Promise<boolean> {
    if ((await this.sizeOf(key)) === undefined) return false;
    await this.drop(key);
    return true;
  }

  private async copy(from: string, Key: string): Promise<void> {
    const { bucket } = this.settings;
    await this.send(
      new CopyObjectCommand({ Bucket: bucket, Key, CopySource: sourceOf(bucket, from), ...this.encrypted }),
    );
  }

  private async copyInParts(from: string, Key: string, size: number): Promise<void> {
    const place = { Bucket: this.settings.bucket, Key };
    const { UploadId } = await this.send(new CreateMultipartUploadCommand({ ...place, ...this.encrypted }));
    try {
      const parts = [];
      for (let start = 0, number = 1; start < size; start += COPY_BYTES, number++) {
        const { CopyPartResult } = await this.send(
          new UploadPartCopyCommand({
            ...place,
            UploadId,
            PartNumber: number,
            CopySource: sourceOf(place.Bucket, from),
            CopySourceRange: `bytes=${start}-${Math.min(start + COPY_BYTES, size) - 1}`,
          }),
        );
        parts.push({ PartNumber: number, ETag: CopyPartResult?.ETag });
      }
      await this.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts: parts } }));
    } catch (error) {
      await this.send(new AbortMultipartUploadCommand({ ...place, UploadId })).catch(() => undefined);
      throw error;
    }
  }

  /** Uploads that ended with their process; not every service can list them, those clean up by their own rules. */
  private async abortOldUploads(before: number): Promise<number> {
    const { bucket, prefix } = this.settings;
    const list = await this.client
      .send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }))
      .catch(() => undefined);
    let aborted = 0;
    for (const { Key, UploadId, Initiated } of list?.Uploads ?? []) {
      if (!Initiated || Initiated.getTime() >= before) continue;
      await this.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })).catch(() => undefined);
      aborted++;
    }
    return aborted;
  }
}

const sourceOf = (bucket: string, key: string): string =>
  `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
