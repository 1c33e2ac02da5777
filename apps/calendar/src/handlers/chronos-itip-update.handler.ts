import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=update`: takes a change or an answer over. */
@Handles(chronosItip.update)
export class ChronosItipUpdateHandler implements Handler<typeof chronosItip.update> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.update>) {
    return this.actions.act(principal, query, body, 'update');
  }
}
