import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=cancel`: the same as delete. */
@Handles(chronosItip.cancel)
export class ChronosItipCancelHandler implements Handler<typeof chronosItip.cancel> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.cancel>) {
    return this.actions.act(principal, query, body, 'cancellation');
  }
}
