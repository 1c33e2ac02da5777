import { attachment, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachedObjects } from '../objects/attached-objects';
import { createView } from '../domain/attachment-view';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `all`: lists the attachments of an object as rows. */
@Handles(attachment.all)
export class AllHandler implements Handler<typeof attachment.all> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof attachment.all>) {
    const view = createView(principal, query);
    await this.objects.requireAccess(principal, query);
    return this.database.read(principal, async (db) => {
      const rows = await this.attachments.listRows(db, query, view, query.columns, query);
      return reply<unknown[][]>(rows, { timestamp: await this.attachments.findNewestChange(db, query) });
    });
  }
}
