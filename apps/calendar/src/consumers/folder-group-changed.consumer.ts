import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { FolderHandover } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';

const changed = identityEvents['group.changed'];

/** Members of groups see calendars come and go with their membership. */
@Consumes(changed)
export class FolderGroupChangedConsumer implements Consumer<typeof changed> {
  constructor(
    private readonly directory: Directory,
    private readonly handover: FolderHandover,
  ) {}

  async handle(message: EventMessage<PayloadOf<typeof changed>>, tx: Transaction): Promise<void> {
    const { groupId } = message.payload;
    const group = (await this.directory.entities(message, [groupId])).get(groupId);
    await this.handover.groupChanged(tx, groupId, group?.kind === 'group');
  }
}
