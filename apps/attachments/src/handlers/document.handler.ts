import {
  attachment,
  AttachmentErrors,
  FileErrors,
  FileReply,
  type AttachmentDocumentQuery,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { resolveServedType, ScanCheck } from '@groupware/stored-files';
import { AttachedObjects } from '../objects/attached-objects';
import { AttachmentRepository, type StoredAttachment } from '../persistence/attachment.repository';

/** `document`: answers the file of an attachment, which the gateway sends. */
@Handles(attachment.document)
export class DocumentHandler implements Handler<typeof attachment.document> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
    private readonly scans: ScanCheck,
  ) {}

  async handle({ principal, query }: CallOf<typeof attachment.document>): Promise<FileReply> {
    await this.objects.requireAccess(principal, query);
    const [found] = await this.database.read(principal, (db) => this.attachments.listStored(db, query, [query.id]));
    if (!found) throw AttachmentErrors.notFound(query.id);
    const part = resolveRange(query, found);
    if (query.scan) await this.scans.requireClean(principal, { ...found, name: found.fileName });
    const contentType = resolveServedType(found.contentType, query.content_type, found.sniffed);
    return new FileReply(
      {
        reference: found.reference,
        name: found.fileName,
        contentType,
        sizeBytes: found.sizeBytes,
        inline: query.content_disposition === 'inline',
        ...(part ? { part } : {}),
      },
      // A range has an ETag of its own, so that it cannot be resumed with bytes of the whole file.
      { headers: { ETag: `"${found.sha256.slice(0, 32)}${part ? `-${part.start}-${part.length}` : ''}"` } },
    );
  }
}

/** Resolves the range of `off` and `len`. */
function resolveRange(
  { off, len }: AttachmentDocumentQuery,
  { fileName, sizeBytes }: StoredAttachment,
): { start: number; length: number } | undefined {
  if (off === undefined && len === undefined) return undefined;
  const start = off ?? 0;
  if (!Number.isInteger(start) || start < 0 || start > sizeBytes)
    throw FileErrors.badOffset(start, fileName, sizeBytes);
  const length = len === undefined || len === -1 ? sizeBytes - start : len;
  if (!Number.isInteger(length) || length < 0) throw FileErrors.badLength(length, fileName, sizeBytes);
  return { start, length: Math.min(length, sizeBytes - start) };
}
