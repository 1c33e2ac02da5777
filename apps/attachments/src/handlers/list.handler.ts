import { attachment, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachedObjects } from '../objects/attached-objects';
import { createView } from '../domain/attachment-view';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `list`: lists attachments by id as rows. */
@Handles(attachment.list)
export class ListHandler implements Handler<typeof attachment.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof attachment.list>) {
    const view = createView(principal, query);
    await this.objects.requireAccess(principal, query);
    return this.database.read(principal, async (db) => {
      const rows = await this.attachments.listRowsByIds(db, query, view, query.columns, body);
      return reply<unknown[][]>(rows, { timestamp: await this.attachments.findNewestChange(db, query) });
    });
  }
}
