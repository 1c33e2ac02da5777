import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { FeedbackAnonymizer } from '../feedback-anonymizer';

const deleting = identityEvents['context.deleting'];

/** Lets the feedback of a context that goes become anonymous in time. */
@Consumes(deleting)
export class FeedbackContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(private readonly forgetter: FeedbackAnonymizer) {}

  /** Feedback lies in global databases, beyond the transaction of the context: to note it twice does no harm. */
  async prepare(message: EventMessage<PayloadOf<typeof deleting>>): Promise<undefined> {
    await this.forgetter.scheduleAnonymization(message.contextId, null);
    return undefined;
  }

  async handle(): Promise<void> {
    // All is done before.
  }
}
