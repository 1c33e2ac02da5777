import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { FolderHandover } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';

const changed = identityEvents['group.changed'];

/** Members of groups see folders of contacts come and go with their membership. */
@Consumes(changed)
export class FolderGroupChangedConsumer implements Consumer<typeof changed, boolean> {
  constructor(
    private readonly directory: Directory,
    private readonly handover: FolderHandover,
  ) {}

  /** Whether the group still exists. */
  async prepare(message: EventMessage<PayloadOf<typeof changed>>): Promise<boolean> {
    const { groupId } = message.payload;
    return (await this.directory.refreshEntities(message, [groupId])).get(groupId)?.kind === 'group';
  }

  handle({ payload }: EventMessage<PayloadOf<typeof changed>>, tx: Transaction, exists: boolean): Promise<void> {
    return this.handover.updateGroup(tx, payload.groupId, exists);
  }
}
