import {
  attachment,
  AttachmentErrors,
  reply,
  type AttachmentData,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachedObjects } from '../objects/attached-objects';
import { createView } from '../domain/attachment-view';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `get`: reads one attachment without its content. */
@Handles(attachment.get)
export class GetHandler implements Handler<typeof attachment.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof attachment.get>) {
    const { zone } = createView(principal, query);
    await this.objects.requireAccess(principal, query);
    const found = await this.database.read(principal, (db) =>
      this.attachments.findById(db, query, query.folder, query.id),
    );
    if (!found) throw AttachmentErrors.notFound(query.id);
    const created = found.creation_date!;
    return reply<AttachmentData>({ ...found, creation_date: zone.instantToLocal(created) }, { timestamp: created });
  }
}
