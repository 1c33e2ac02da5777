import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=refresh`: sends an attendee the latest version. */
@Handles(chronosItip.refresh)
export class ChronosItipRefreshHandler implements Handler<typeof chronosItip.refresh> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.refresh>) {
    return this.actions.act(principal, query, body, 'refresh');
  }
}
