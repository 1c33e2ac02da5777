import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { CONFIRM } from '../domain/appointment';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=decline`: takes an invitation over and declines it. */
@Handles(chronosItip.decline)
export class ChronosItipDeclineHandler implements Handler<typeof chronosItip.decline> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.decline>) {
    return this.actions.act(principal, query, body, 'invitation', { confirm: CONFIRM.declined });
  }
}
