import { attachment, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachedObjects } from '../attached-objects';
import { viewOf } from '../domain/attachment-view';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `list`: rows of attachments by id. */
@Handles(attachment.list)
export class ListHandler implements Handler<typeof attachment.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof attachment.list>) {
    const view = viewOf(principal, query);
    await this.objects.require(principal, query);
    return this.database.read(principal, async (db) => {
      const rows = await this.attachments.listed(db, query, view, query.columns, body);
      return reply<unknown[][]>(rows, { timestamp: await this.attachments.newestChange(db, query) });
    });
  }
}
