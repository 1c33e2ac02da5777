import { attachedFiles, type AttachedFile, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `list`: the files of many objects, for the module that shows them. */
@Handles(attachedFiles.list)
export class ListFilesHandler implements Handler<typeof attachedFiles.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly attachments: AttachmentRepository,
  ) {}

  handle({ principal, query }: CallOf<typeof attachedFiles.list>): Promise<AttachedFile[]> {
    const { module, objects, files } = query;
    return this.database.read(principal, async (db) => [
      ...(await this.attachments.listFiles(db, module, objects)),
      ...(files ? await this.attachments.listFilesById(db, module, files) : []),
    ]);
  }
}
