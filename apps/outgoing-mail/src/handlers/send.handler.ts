import { outgoingMail, type CallOf, type Handler, type MailOutcome, type MailState } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { MailQueue } from '../mail-queue';

/** Pause between two looks at the outcome, ms. */
const LOOK_MS = 100;
const UNDER_WAY: ReadonlySet<MailState> = new Set(['queued', 'transferring']);

/** `send`: stores mails, and waits for their outcome where the caller wants to know. */
@Handles(outgoingMail.send)
export class SendHandler implements Handler<typeof outgoingMail.send> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly queue: MailQueue,
  ) {}

  async handle({ principal, query, signal }: CallOf<typeof outgoingMail.send>): Promise<MailOutcome[]> {
    const mails = await this.queue.compose(query);
    await this.database.transact(principal, (tx) => this.queue.enqueue(tx, mails));
    for (let waited = 0; ; waited += LOOK_MS) {
      const outcomes = await this.database.read(principal, (db) => this.queue.listOutcomes(db, query));
      const isOver = waited >= (query.waitMs ?? 0) || signal.aborted;
      if (isOver || !outcomes.some(({ state }) => UNDER_WAY.has(state))) return outcomes;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}
