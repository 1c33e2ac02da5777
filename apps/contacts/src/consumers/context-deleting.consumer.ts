import { identityEvents, type EventMessage } from '@groupware/contracts';
import { FolderWriter } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { ContactRepository } from '../persistence/contact.repository';

const deleting = identityEvents['context.deleting'];

/** Nothing of a context that goes stays. */
@Consumes(deleting)
export class ContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly contacts: ContactRepository,
    private readonly folders: FolderWriter,
  ) {}

  async handle(_message: EventMessage, tx: Transaction): Promise<void> {
    await this.contacts.removeContext(tx);
    await this.folders.deleteByContext(tx);
  }
}
