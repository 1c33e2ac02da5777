import { attachment, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachedObjects } from '../objects/attached-objects';
import { createView } from '../domain/attachment-view';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `updates`: lists attachments added since a stamp as rows, then the ids of detached ones (decision D7). */
@Handles(attachment.updates)
export class UpdatesHandler implements Handler<typeof attachment.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof attachment.updates>) {
    const view = createView(principal, query);
    await this.objects.requireAccess(principal, query);
    const since = query.timestamp ?? 0;
    // One snapshot for rows, ids and timestamp: concurrent commits come with the next call.
    return this.database.read(
      principal,
      async (db) => {
        const rows = await this.attachments.listRows(db, query, view, query.columns, { ...query, since });
        const ignored = query.ignore?.split(',').includes('deleted');
        const ids = ignored ? [] : await this.attachments.listDetachedIds(db, query, since);
        const timestamp = Math.max(await this.attachments.findNewestChange(db, query), Math.min(since, Date.now()));
        return reply<unknown[][]>([...rows, ...ids] as unknown[][], { timestamp });
      },
      { snapshot: true },
    );
  }
}
