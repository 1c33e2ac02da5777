import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=counter`: takes an invitation over, and proposes another time or place. */
@Handles(chronosItip.counter)
export class ChronosItipCounterHandler implements Handler<typeof chronosItip.counter> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.counter>) {
    return this.actions.act(principal, query, body, 'invitation', { proposal: body.event });
  }
}
