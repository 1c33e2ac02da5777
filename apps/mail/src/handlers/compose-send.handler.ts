import { mailComposeSend, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeDelivery } from '../compose/compose-delivery';
import { LastChanges } from '../compose/last-changes';

/** Sends a mail that is being written, with the last changes to it. */
@Handles(mailComposeSend.send)
export class ComposeSendHandler implements Handler<typeof mailComposeSend.send> {
  constructor(
    private readonly changes: LastChanges,
    private readonly delivery: ComposeDelivery,
  ) {}

  async handle(call: CallOf<typeof mailComposeSend.send>) {
    await this.changes.applyForm(call);
    const { path, warnings } = await this.delivery.sendSpace(call, call.query);
    return reply<string | { readonly success: true }>(path ?? { success: true }, { warnings });
  }
}
