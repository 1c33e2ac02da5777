import { createHash } from 'node:crypto';
import {
  FILE_RIGHTS,
  FileReply,
  FileStorageErrors,
  recordCheck,
  type EdgeRequest,
  type FileContentQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { isKnown, isSameVersion, rangeOf } from '@groupware/service-kit';
import { ScanCheck } from '@groupware/stored-files';
import { VirusScanConfig } from '@groupware/virus-scan';
import { Inject, Injectable } from '@nestjs/common';
import { fileTypeFromBuffer } from 'file-type';
import { resolveDelivery } from '../documents/document-delivery';
import { resolvePart } from '../documents/document-part';
import { StorageAccounts, type OpenedFile } from './storage-accounts';
import { typeOf } from './storage-document';
import { nameOf, parseStorageFileId } from './storage-id';
import type { StorageEntry, StorageRequest } from './storage-kind';
import type { TransferSource } from './storage-transfers';

/** Bytes that tell the type of a picture, of sound or of film. */
const SNIFFED_BYTES = 4_100;

/** Reads the bytes of files of storages elsewhere. */
@Injectable()
export class StorageContent {
  constructor(
    private readonly accounts: StorageAccounts,
    private readonly scans: ScanCheck,
    private readonly scanning: VirusScanConfig,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /** The bytes of a file, whole or in part. @throws the errors of `infostore?action=document` */
  async openFile(request: StorageRequest, query: FileContentQuery, edge: EdgeRequest | undefined): Promise<FileReply> {
    const found = await this.accounts.openFile(request, parseStorageFileId(query.id));
    recordCheck(FILE_RIGHTS.read);
    const { connection, entry } = found;
    const name = nameOf(entry.path);
    const type = typeOf(entry);
    const sniffed = /^(image|audio|video)\//.test(type) ? await this.sniff(found) : null;
    const { contentType, inline } = resolveDelivery(query, type, name, sniffed);
    const size = entry.sizeBytes;
    const part = size === undefined ? undefined : resolvePart(query, name, size);
    const etag = toEntityTag(query.id, entry, part);
    const options = {
      headers: {
        ETag: etag,
        ...(entry.modified > 0 && { 'Last-Modified': new Date(entry.modified).toUTCString() }),
      },
    };
    const file = { reference: '', name, contentType, inline };
    if (query.scan) return this.openScanned(request.principal, found, file, options);
    if (isKnown(edge?.headers['if-none-match'], etag)) return new FileReply(file, options, none());
    const isResumed = !part && isSameVersion(edge?.headers['if-range'], etag);
    const asked = isResumed && size !== undefined ? rangeOf(edge?.headers['range'], size) : undefined;
    const range = asked === 'unsatisfiable' ? undefined : asked;
    const wanted = part ? { start: part.start, end: part.start + part.length - 1 } : range;
    if (part?.length === 0) return new FileReply({ ...file, sizeBytes: 0 }, options, none());
    const sent = await connection.readFile(entry.path, wanted);
    if (!sent) throw FileStorageErrors.noSuchFile(name, found.account.displayName);
    // A server may send everything all the same.
    const isCut = wanted && !(sent.range?.start === wanted.start && sent.range.end === wanted.end);
    const skipped = sent.range?.start ?? 0;
    if (isCut && skipped > wanted.start) throw FileStorageErrors.notReachable(found.account.displayName);
    const bytes = isCut ? cutBytes(sent.bytes, wanted.start - skipped, wanted.end - wanted.start + 1) : sent.bytes;
    return new FileReply({ ...file, sizeBytes: part ? part.length : size, ...(range && { range }) }, options, bytes);
  }

  /** A file that goes into another storage. @throws FILE_STORAGE-0008, FILE_STORAGE-0026 */
  async openSource(request: StorageRequest, id: string): Promise<Omit<TransferSource, 'mayRemove'>> {
    const { account, connection, entry } = await this.accounts.openFile(request, parseStorageFileId(id));
    recordCheck(FILE_RIGHTS.read);
    return {
      name: nameOf(entry.path),
      contentType: typeOf(entry),
      sizeBytes: entry.sizeBytes,
      modified: entry.modified,
      async *open() {
        const sent = await connection.readFile(entry.path);
        if (!sent) throw FileStorageErrors.noSuchFile(entry.path, account.displayName);
        yield* sent.bytes;
      },
      async remove() {
        const now = await connection.findEntry(entry.path);
        if (!now || !isUnchanged(now, entry)) return false;
        return connection.remove(entry.path, false, now.tag);
      },
    };
  }

  /** The type that the first bytes of a file tell. */
  private async sniff({ connection, entry }: OpenedFile): Promise<string | null> {
    if (entry.sizeBytes === 0) return null;
    const head = await connection.readFile(entry.path, { start: 0, end: SNIFFED_BYTES - 1 });
    const parts: Uint8Array[] = [];
    for await (const part of cutBytes(head?.bytes ?? none(), 0, SNIFFED_BYTES)) parts.push(part);
    return (await fileTypeFromBuffer(Buffer.concat(parts)))?.mime ?? null;
  }

  /** A file that was scanned before its first byte is sent. @throws ANTIVIRUS-0001, ANTIVIRUS-0002, ANTIVIRUS-0003 */
  private async openScanned(
    user: UserPrincipal,
    { account, connection, entry }: OpenedFile,
    file: { readonly name: string; readonly contentType: string; readonly inline: boolean },
    options: ConstructorParameters<typeof FileReply>[1],
  ): Promise<FileReply> {
    const { contextId } = user;
    const { name } = file;
    const sent = await connection.readFile(entry.path);
    if (!sent) throw FileStorageErrors.noSuchFile(name, account.displayName);
    const stored = await this.store.write(sent.bytes, { maxBytes: this.scanning.maxBytes, contextId });
    try {
      await this.scans.requireClean(user, { name, ...stored });
    } catch (error) {
      await this.store.discard(stored.reference).catch(() => undefined);
      throw error;
    }
    const { reference, sizeBytes } = stored;
    return new FileReply({ ...file, reference, sizeBytes, temporary: true }, options);
  }
}

/** Whether a file has the same bytes as before: times of storages have seconds only, so they alone do not tell. */
const isUnchanged = (now: StorageEntry, before: StorageEntry): boolean =>
  !now.isFolder && now.modified === before.modified && now.sizeBytes === before.sizeBytes && now.tag === before.tag;

/** Tells versions of the bytes of a file, and parts of them, apart. */
function toEntityTag(
  id: string,
  { tag, modified, sizeBytes }: StorageEntry,
  part: { readonly start: number; readonly length: number } | undefined,
): string {
  const text = JSON.stringify([id, tag, modified, sizeBytes, part]);
  return `"${createHash('sha256').update(text).digest('hex').slice(0, 40)}"`;
}

/** A part of a stream; its source ends with it. */
async function* cutBytes(bytes: AsyncIterable<Uint8Array>, start: number, length: number): AsyncGenerator<Uint8Array> {
  let at = 0;
  const end = start + length;
  for await (const piece of bytes) {
    const from = Math.max(0, start - at);
    const to = Math.min(piece.length, end - at);
    if (from < to) yield piece.subarray(from, to);
    at += piece.length;
    if (at >= end) return;
  }
}

async function* none(): AsyncGenerator<Uint8Array> {
  // Nothing to send.
}
