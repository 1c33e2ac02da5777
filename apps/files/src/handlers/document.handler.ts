import { Inject } from '@nestjs/common';
import {
  FileReply,
  FileStorageErrors,
  infostore,
  InfostoreErrors,
  RequestErrors,
  type CallOf,
  type FileContentQuery,
  type Handler,
  type PictureQuery,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Pictures, toPictureReply } from '@groupware/pictures';
import { Handles } from '@groupware/service-kit';
import { ScanCheck, StoredFileRepository } from '@groupware/stored-files';
import { parseDocumentId } from '../domain/document-id';
import { OPAQUE, resolveDelivery } from '../documents/document-delivery';
import { resolvePart } from '../documents/document-part';
import { parseVersion } from '../documents/version-content';
import { DocumentLocks, requireMayReadVersion } from '../documents/document-locks';
import { DocumentRepository } from '../persistence/document.repository';
import { StorageContent } from '../storages/storage-content';
import { isStorageId } from '../storages/storage-id';

/** Previews belong to every user who may read the document, and are new with its next version. */
const ASK_AGAIN = 'private, no-cache';
/** A small picture where the client does not say how small. */
const THUMBNAIL = { width: 200, height: 150 } as const;

/** `document`: the bytes of a document, whole or in part, or as the picture that is asked for. */
@Handles(infostore.document)
export class DocumentHandler implements Handler<typeof infostore.document> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly locks: DocumentLocks,
    private readonly documents: DocumentRepository,
    private readonly contents: StoredFileRepository,
    private readonly scans: ScanCheck,
    private readonly pictures: Pictures,
    private readonly storages: StorageContent,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  async handle(call: CallOf<typeof infostore.document>): Promise<FileReply> {
    const { principal, query, edge } = call;
    // Encrypted bytes must not be taken for decrypted ones.
    if (query.cryptoAction) throw RequestErrors.badParameter('cryptoAction', query.cryptoAction);
    if (isStorageId(query.id)) return this.storages.openFile(call, query, edge);
    const named = parseDocumentId(query.id, query.folder);
    const wanted =
      query.version === undefined || query.version === 'null' ? undefined : parseVersion(named.id, query.version);
    const { version, content, lastModified } = await this.database.read(principal, async (db) => {
      const found = await this.locks.requireReadable(db, principal, named);
      requireMayReadVersion(principal, found, wanted);
      const { document } = found;
      const version = wanted === undefined ? document.current : await this.documents.findVersion(db, named.id, wanted);
      if (!version) throw FileStorageErrors.noSuchVersion(named.id, wanted);
      const content = version.reference === null ? undefined : await this.contents.find(db, version.reference);
      return { version, content, lastModified: document.lastModified };
    });
    if (!content) throw InfostoreErrors.noContent(named.id);
    const name = version.filename ?? '';
    const { reference, sizeBytes, sha256, sniffed } = content;
    if (query.scan) await this.scans.requireClean(principal, { name, reference, sizeBytes, sha256 });
    const part = resolvePart(query, name, sizeBytes);
    const { contentType, inline } = resolveDelivery(query, version.mimeType ?? OPAQUE, name, sniffed);
    // Documents that are saved, or read in parts, are sent as the file.
    if (query.delivery !== 'download' && !part && sniffed?.startsWith('image/')) {
      const source = { sizeBytes, open: () => this.files.read(reference) };
      const shown = await this.pictures.transform(source, toWanted(query));
      const isInline = inline || (query.format !== undefined && query.content_disposition === undefined);
      if (shown) return toPictureReply(shown, { name, cachePolicy: ASK_AGAIN, inline: isInline });
    }
    return new FileReply(
      { reference, name, contentType, sizeBytes, inline, ...(part && { part }) },
      {
        headers: {
          // Name and type, which any change may alter, decide the headers. A part has a tag of its own, so that it cannot be
          // resumed with bytes of the whole file.
          ETag: `"${named.id}-${version.version}-${lastModified}${part ? `-${part.start}-${part.length}` : ''}"`,
          'Last-Modified': new Date(version.created).toUTCString(),
        },
      },
    );
  }
}

/** How a picture is wanted: previews are upright, thumbnails are small. */
function toWanted(query: FileContentQuery): PictureQuery {
  switch (query.format) {
    case 'thumbnail_image':
      return query.width === undefined && query.height === undefined ? { ...query, ...THUMBNAIL } : query;
    case 'preview_image':
      return { ...query, rotate: true };
    default:
      return query;
  }
}
