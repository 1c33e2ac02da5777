import { attachment, AttachmentErrors, FileReply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachedObjects } from '../attached-objects';
import { archiveNames } from '../domain/archive-names';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `zipDocuments`: several attachments as one ZIP file, which the gateway writes while it sends. */
@Handles(attachment.zipDocuments)
export class ZipDocumentsHandler implements Handler<typeof attachment.zipDocuments> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof attachment.zipDocuments>): Promise<FileReply> {
    await this.objects.require(principal, query);
    const ids = [...new Set(body)];
    const found = await this.database.read(principal, (db) => this.attachments.contents(db, query, ids));
    if (found.length < ids.length || ids.length === 0)
      throw AttachmentErrors.notFound(ids.find((id) => found.every((each) => each.id !== id)) ?? '');
    const names = archiveNames(found.map(({ fileName }) => fileName));
    return new FileReply({
      reference: '',
      name: 'attachments.zip',
      contentType: 'application/zip',
      archive: found.map(({ reference, created, sizeBytes }, index) => ({
        reference,
        name: names[index]!,
        modified: created,
        sizeBytes,
      })),
    });
  }
}
