import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock, Consumes, type Consumer } from '@groupware/service-kit';
import { StoredFileRepository, StoredFiles } from '@groupware/stored-files';
import { CollectedMailRepository } from '../collection/collected-mail.repository';
import { ComposeSweep } from '../compose/compose-sweep';
import { ComposeRepository } from '../compose/compose.repository';
import { MessagingAccountRepository } from '../messaging/messaging-account.repository';
import { SnippetRepository } from '../snippets/snippet.repository';

const deleting = identityEvents['user.deleting'];

/** Mails that a user was writing and signatures go with the user. */
@Consumes(deleting)
export class UserDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly rows: ComposeRepository,
    private readonly sweep: ComposeSweep,
    private readonly snippets: SnippetRepository,
    private readonly messagingAccounts: MessagingAccountRepository,
    private readonly collected: CollectedMailRepository,
    private readonly contents: StoredFileRepository,
    private readonly stored: StoredFiles,
    private readonly clock: Clock,
  ) {}

  async handle({ contextId, payload }: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    const { stamp } = await this.contents.advanceCounters(tx, this.clock.now(), 0);
    const files = await this.rows.removeUser(tx, payload.userId);
    const snippets = await this.snippets.listOfUser(tx, payload.userId);
    const released = await this.contents.releaseUnused(tx, await this.snippets.delete(tx, snippets), stamp);
    await this.messagingAccounts.deleteOfUser(tx, payload.userId);
    await this.collected.deleteOfUser(tx, payload.userId);
    tx.afterCommit(() => {
      void this.sweep.removeBytes(files);
      void this.stored.abandonContents({ contextId }, released);
    });
  }
}
