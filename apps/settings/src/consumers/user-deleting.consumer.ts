import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { SettingsTreeRepository } from '../persistence/settings-tree.repository';

const deleting = identityEvents['user.deleting'];

/** Settings go with their user. */
@Consumes(deleting)
export class UserDeletingConsumer implements Consumer<typeof deleting> {
  constructor(private readonly trees: SettingsTreeRepository) {}

  handle({ payload }: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    return this.trees.removeUser(tx, payload.userId);
  }
}
