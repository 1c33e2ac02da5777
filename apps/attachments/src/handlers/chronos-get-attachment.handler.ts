import { CalendarErrors, chronosAttachments, FileReply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { resolveServedType } from '@groupware/stored-files';
import { asEventFiles, toAttachedEvent } from '../domain/attached-event';
import { AttachedObjects } from '../objects/attached-objects';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `chronos?action=getAttachment`: a file of an event. */
@Handles(chronosAttachments.getAttachment)
export class ChronosGetAttachmentHandler implements Handler<typeof chronosAttachments.getAttachment> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof chronosAttachments.getAttachment>): Promise<FileReply> {
    const event = toAttachedEvent(query);
    await asEventFiles(query, () => this.objects.requireAccess(principal, event));
    const [found] = await this.database.read(principal, (db) =>
      this.attachments.listStored(db, event, [query.managedId]),
    );
    if (!found) throw CalendarErrors.attachmentNotFound(query.managedId);
    const { reference, fileName: name, sizeBytes, sha256 } = found;
    const contentType = resolveServedType(found.contentType, undefined, found.sniffed);
    return new FileReply(
      { reference, name, contentType, sizeBytes },
      { headers: { ETag: `"${sha256.slice(0, 32)}"` } },
    );
  }
}
