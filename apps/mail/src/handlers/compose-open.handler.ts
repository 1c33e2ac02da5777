import { mailCompose, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeOpening } from '../compose/compose-opening';

/** Opens a composition space. */
@Handles(mailCompose.open)
export class ComposeOpenHandler implements Handler<typeof mailCompose.open> {
  constructor(private readonly opening: ComposeOpening) {}

  async handle(call: CallOf<typeof mailCompose.open>) {
    const { space, warnings } = await this.opening.openSpace(call, call.query, call.body);
    return reply(space, { warnings });
  }
}
