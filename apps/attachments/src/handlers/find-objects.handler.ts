import { attachedFiles, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachmentsConfig } from '../configuration/attachments.config';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `findObjects`: objects by names of their files, for the module that shows those that the user may read. */
@Handles(attachedFiles.findObjects)
export class FindObjectsHandler implements Handler<typeof attachedFiles.findObjects> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly attachments: AttachmentRepository,
    private readonly config: AttachmentsConfig,
  ) {}

  handle({ principal, query: { module, names } }: CallOf<typeof attachedFiles.findObjects>): Promise<number[][]> {
    return this.database.read(principal, async (db) => {
      const found: number[][] = [];
      for (const name of names)
        found.push(await this.attachments.listObjectsByFileName(db, module, name, this.config.findMax));
      return found;
    });
  }
}
