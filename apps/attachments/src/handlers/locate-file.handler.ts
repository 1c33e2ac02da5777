import {
  attachedFiles,
  AttachmentErrors,
  RequestErrors,
  type CallOf,
  type Handler,
  type LocatedFile,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachedObjects } from '../objects/attached-objects';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `locate`: where the bytes of a file are, for a module that copies them. */
@Handles(attachedFiles.locate)
export class LocateFileHandler implements Handler<typeof attachedFiles.locate> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof attachedFiles.locate>): Promise<LocatedFile> {
    if (!principal.user) throw RequestErrors.badRequest('files are read by a user');
    const { module, object: attached, folder, id } = query;
    const place = { module, attached, folder };
    await this.objects.requireAccess(principal.user, place);
    const [stored] = await this.database.read(principal, (db) => this.attachments.listStored(db, place, [id]));
    if (!stored) throw AttachmentErrors.notFound(id);
    const { reference, fileName: name, contentType, sizeBytes } = stored;
    return { reference, name, contentType, sizeBytes };
  }
}
