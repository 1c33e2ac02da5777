import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  CatalogueError,
  FileLimitErrors,
  MAX_FILE_UPLOAD,
  SCAN_FILE_UPLOADS,
  UploadErrors,
  VirusErrors,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Properties } from '@groupware/service-kit';
import { ScanCheck } from '@groupware/stored-files';

/** An upload with what is known of its bytes. */
export type HashedFile = UploadedFile & { readonly sha256: string; readonly md5: string };

/** A file that another module keeps. */
export type CopiedFile = Pick<UploadedFile, 'reference' | 'name' | 'contentType' | 'sizeBytes'>;

/** Prepares uploads to become versions of documents. */
@Injectable()
export class DocumentUploads {
  constructor(
    private readonly scans: ScanCheck,
    private readonly properties: Properties,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /** The first file of a request, hashed; undefined without one. The edge removes it when the call ends, unless it is kept. */
  async prepare(files: readonly UploadedFile[]): Promise<HashedFile | undefined> {
    const [file] = files;
    if (!file) return undefined;
    const { sha256, md5 } = file;
    if (sha256 === undefined) throw FileLimitErrors.notSaved();
    return { ...file, sha256, md5: md5 ?? (await this.hash(file.reference)) };
  }

  /** Stores a text as an upload. */
  storeText(user: UserPrincipal, text: string): Promise<HashedFile> {
    return this.storeBytes(user, Buffer.from(text, 'utf8'));
  }

  /** Stores an empty file as an upload: a body without bytes brings none. */
  storeEmpty(user: UserPrincipal): Promise<HashedFile> {
    return this.storeBytes(user, Buffer.alloc(0));
  }

  /** Copies bytes that another module keeps, as an upload. @throws UPL-0001 when they are gone */
  storeCopy(user: UserPrincipal, file: CopiedFile): Promise<HashedFile> {
    return this.join(user, [file.reference], file);
  }

  /** Stores a file and its continuation as one upload. @throws UPL-0005 */
  async storeContinued(user: UserPrincipal, before: CopiedFile, more: HashedFile): Promise<HashedFile> {
    const sizeBytes = before.sizeBytes + more.sizeBytes;
    const limit = this.properties.serverValue(MAX_FILE_UPLOAD);
    if (limit > 0 && sizeBytes > limit) throw UploadErrors.tooLarge(sizeBytes, limit);
    return this.join(user, [before.reference, more.reference], { ...before, sizeBytes });
  }

  /** Stores bytes that come from another storage, as an upload. @throws UPL-0005, FLS-… when the store fails */
  async storeStream(
    { contextId }: UserPrincipal,
    {
      name,
      contentType,
      sizeBytes,
    }: Pick<CopiedFile, 'name' | 'contentType'> & { readonly sizeBytes?: number | undefined },
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<HashedFile> {
    const limit = this.properties.serverValue(MAX_FILE_UPLOAD);
    if (limit > 0 && sizeBytes !== undefined && sizeBytes > limit) throw UploadErrors.tooLarge(sizeBytes, limit);
    const maxBytes = limit > 0 ? limit : Number.MAX_SAFE_INTEGER;
    const stored = await this.store.write(bytes, { maxBytes, contextId, hashesMd5: true });
    const md5 = stored.md5 ?? (await this.hash(stored.reference));
    return { field: 'file', name, contentType, ...stored, md5 };
  }

  private async join(
    { contextId }: UserPrincipal,
    references: readonly string[],
    { name, contentType, sizeBytes }: Omit<CopiedFile, 'reference'>,
  ): Promise<HashedFile> {
    const { store } = this;
    async function* read(): AsyncGenerator<Uint8Array> {
      for (const reference of references) yield* store.read(reference);
    }
    const stored = await store.write(read(), { maxBytes: sizeBytes, contextId, hashesMd5: true });
    const md5 = stored.md5 ?? (await this.hash(stored.reference));
    return { field: 'file', name, contentType, ...stored, md5 };
  }

  /** Removes an upload that was not used. Never fails: the sweep does it else. */
  async discard(file: UploadedFile | undefined): Promise<void> {
    if (file) await this.store.discard(file.reference).catch(() => undefined);
  }

  private async storeBytes({ contextId }: UserPrincipal, bytes: Buffer): Promise<HashedFile> {
    async function* once(): AsyncGenerator<Uint8Array> {
      if (bytes.length > 0) yield bytes;
    }
    const stored = await this.store.write(once(), { maxBytes: bytes.length, contextId });
    const md5 = createHash('md5').update(bytes).digest('hex');
    return { field: 'file', name: '', contentType: 'application/octet-stream', ...stored, md5 };
  }

  private async hash(reference: string): Promise<string> {
    const hash = createHash('md5');
    for await (const part of this.store.read(reference)) hash.update(part);
    return hash.digest('hex');
  }

  /**
   * Requires a clean file, as the context is set or where that is asked for. The right to write comes before: what is known of
   * the content is noted.
   * @throws ANTIVIRUS-0001 and, as set or asked for, others
   */
  async requireClean(user: UserPrincipal, file: HashedFile, isAskedFor: boolean): Promise<void> {
    const policy = await this.properties.get(SCAN_FILE_UPLOADS, { contextId: user.contextId });
    if (policy === 'off' && !isAskedFor) return;
    try {
      await this.scans.requireClean(user, file);
    } catch (error) {
      const notScanned = error instanceof CatalogueError && !error.is(VirusErrors.found);
      if (policy === 'required' || isAskedFor || !notScanned) throw error;
    }
  }
}
