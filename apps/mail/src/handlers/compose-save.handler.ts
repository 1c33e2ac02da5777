import { mailComposeSave, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeDelivery } from '../compose/compose-delivery';
import { LastChanges } from '../compose/last-changes';

/** Saves a mail that is being written as a draft, with the last changes to it. */
@Handles(mailComposeSave.save)
export class ComposeSaveHandler implements Handler<typeof mailComposeSave.save> {
  constructor(
    private readonly changes: LastChanges,
    private readonly delivery: ComposeDelivery,
  ) {}

  async handle(call: CallOf<typeof mailComposeSave.save>): Promise<string> {
    await this.changes.applyForm(call);
    return (await this.delivery.saveSpace(call, call.query)).path!;
  }
}
