import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=declinecounter`: tells an attendee that his proposal is not wanted. */
@Handles(chronosItip.declinecounter)
export class ChronosItipDeclineCounterHandler implements Handler<typeof chronosItip.declinecounter> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.declinecounter>) {
    return this.actions.act(principal, query, body, 'proposal');
  }
}
