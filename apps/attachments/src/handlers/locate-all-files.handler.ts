import { attachedFiles, type CallOf, type Handler, type LocatedObjectFile } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `locateAll`: where the bytes of the files of objects are, for mails that carry them. */
@Handles(attachedFiles.locateAll)
export class LocateAllFilesHandler implements Handler<typeof attachedFiles.locateAll> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly attachments: AttachmentRepository,
  ) {}

  handle({ principal, query }: CallOf<typeof attachedFiles.locateAll>): Promise<LocatedObjectFile[]> {
    return this.database.read(principal, (db) => this.attachments.listLocated(db, query));
  }
}
