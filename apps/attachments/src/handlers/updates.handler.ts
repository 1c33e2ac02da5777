import { attachment, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachedObjects } from '../attached-objects';
import { viewOf } from '../domain/attachment-view';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** `updates`: rows of what is new since a moment, then the bare ids of what was detached (decision D7). */
@Handles(attachment.updates)
export class UpdatesHandler implements Handler<typeof attachment.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly attachments: AttachmentRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof attachment.updates>) {
    const view = viewOf(principal, query);
    await this.objects.require(principal, query);
    const since = query.timestamp ?? 0;
    // One moment for rows, ids and timestamp: what is committed in between comes with the next call.
    return this.database.read(
      principal,
      async (db) => {
        const rows = await this.attachments.rows(db, query, view, query.columns, { ...query, since });
        const ignored = query.ignore?.split(',').includes('deleted');
        const ids = ignored ? [] : await this.attachments.detached(db, query, since);
        const timestamp = Math.max(await this.attachments.newestChange(db, query), Math.min(since, Date.now()));
        return reply<unknown[][]>([...rows, ...ids] as unknown[][], { timestamp });
      },
      { snapshot: true },
    );
  }
}
