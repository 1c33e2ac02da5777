import { chronosAttachments, RequestErrors, type CallOf, type FileReply, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Archive } from '../attachments/archive';
import { asEventFiles, toAttachedEvent } from '../domain/attached-event';

/** `chronos?action=zipAttachments`: files of an event as one ZIP file. */
@Handles(chronosAttachments.zipAttachments)
export class ChronosZipAttachmentsHandler implements Handler<typeof chronosAttachments.zipAttachments> {
  constructor(private readonly archive: Archive) {}

  handle({ principal, query, body }: CallOf<typeof chronosAttachments.zipAttachments>): Promise<FileReply> {
    const ids = body.map((id) => {
      if (!/^\d{1,9}$/.test(id)) throw RequestErrors.badBodyData('managedId');
      return Number(id);
    });
    return asEventFiles(query, () => this.archive.createArchive(principal, toAttachedEvent(query), ids, 1));
  }
}
