import { Injectable } from '@nestjs/common';
import { AttachmentErrors, FileReply, RequestErrors, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { type AttachedObject, AttachedObjects } from './attached-objects';
import { archiveNames } from './domain/archive-names';
import { AttachmentRepository } from './persistence/attachment.repository';

/** Several attachments as one ZIP file, which the gateway writes while it sends. */
@Injectable()
export class Archive {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  /** The archive of attachments of an object, each once. @throws SVL-0002 without ids, ATT-0405, errors of the owner */
  async of(user: UserPrincipal, object: AttachedObject, wanted: readonly number[]): Promise<FileReply> {
    await this.objects.require(user, object);
    const ids = [...new Set(wanted)];
    if (ids.length === 0) throw RequestErrors.missingParameter('id');
    const found = await this.database.read(user, (db) => this.attachments.contents(db, object, ids));
    if (found.length < ids.length)
      throw AttachmentErrors.notFound(ids.find((id) => found.every((each) => each.id !== id))!);
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
