import { Injectable } from '@nestjs/common';
import { AttachmentErrors, FileReply, RequestErrors, type UserPrincipal } from '@groupware/contracts';
import { toArchiveNames } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { AttachedObjects } from '../objects/attached-objects';
import type { AttachedObject } from '../domain/attached-object';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** Creates ZIP archives of attachments, which the gateway streams. */
@Injectable()
export class Archive {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  /**
   * Creates the archive of attachments of an object, each once.
   * @throws SVL-0002 without ids, ATT-0405, errors of the owner
   */
  async createArchive(
    user: UserPrincipal,
    object: AttachedObject,
    wanted: readonly number[],
    firstCopy?: number,
  ): Promise<FileReply> {
    await this.objects.requireAccess(user, object);
    const ids = [...new Set(wanted)];
    if (ids.length === 0) throw RequestErrors.missingParameter('id');
    const found = await this.database.read(user, (db) => this.attachments.listStored(db, object, ids));
    if (found.length < ids.length)
      throw AttachmentErrors.notFound(ids.find((id) => found.every((each) => each.id !== id))!);
    const names = toArchiveNames(
      found.map(({ fileName }) => fileName),
      firstCopy,
    );
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
