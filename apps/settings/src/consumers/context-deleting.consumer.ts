import { identityEvents, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { SettingsTreeRepository } from '../persistence/settings-tree.repository';

const deleting = identityEvents['context.deleting'];

/** Nothing of a context that goes stays. */
@Consumes(deleting)
export class ContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(private readonly trees: SettingsTreeRepository) {}

  handle(_message: EventMessage, tx: Transaction): Promise<void> {
    return this.trees.removeContext(tx);
  }
}
