import { attachment, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachedObjects } from '../attached-objects';
import { viewOf } from '../domain/attachment-view';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `all`: rows of the attachments of an object. */
@Handles(attachment.all)
export class AllHandler implements Handler<typeof attachment.all> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof attachment.all>) {
    const view = viewOf(principal, query);
    await this.objects.require(principal, query);
    return this.database.read(principal, async (db) => {
      const rows = await this.attachments.rows(db, query, view, query.columns, query);
      return reply<unknown[][]>(rows, { timestamp: await this.attachments.newestChange(db, query) });
    });
  }
}
