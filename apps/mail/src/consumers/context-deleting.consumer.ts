import { identityEvents, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock, Consumes, type Consumer } from '@groupware/service-kit';
import { StoredFileRepository, StoredFiles } from '@groupware/stored-files';
import { CollectedMailRepository } from '../collection/collected-mail.repository';
import { ComposeSweep } from '../compose/compose-sweep';
import { ComposeRepository } from '../compose/compose.repository';
import { MessagingAccountRepository } from '../messaging/messaging-account.repository';
import { SnippetRepository } from '../snippets/snippet.repository';

const deleting = identityEvents['context.deleting'];

/** Nothing of a context that goes stays. */
@Consumes(deleting)
export class ContextDeletingConsumer implements Consumer<typeof deleting> {
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

  async handle({ contextId }: EventMessage, tx: Transaction): Promise<void> {
    const { stamp } = await this.contents.advanceCounters(tx, this.clock.now(), 0);
    const files = await this.rows.removeContext(tx);
    const released = await this.contents.releaseUnused(tx, await this.snippets.deleteAll(tx), stamp);
    await this.messagingAccounts.deleteAll(tx);
    await this.collected.deleteAll(tx);
    await tx.run('delete from context_state where context_id = $1');
    tx.afterCommit(() => {
      void this.sweep.removeBytes(files);
      void this.stored.abandonContents({ contextId }, released);
    });
  }
}
