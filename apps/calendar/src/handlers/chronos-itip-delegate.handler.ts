import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=delegate`: takes an invitation over, and invites a delegate of the user. */
@Handles(chronosItip.delegate)
export class ChronosItipDelegateHandler implements Handler<typeof chronosItip.delegate> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.delegate>) {
    return this.actions.delegate(principal, query, body);
  }
}
