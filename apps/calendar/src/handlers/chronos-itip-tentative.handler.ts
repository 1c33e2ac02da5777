import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { CONFIRM } from '../domain/appointment';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=tentative`: takes an invitation over and accepts it tentatively. */
@Handles(chronosItip.tentative)
export class ChronosItipTentativeHandler implements Handler<typeof chronosItip.tentative> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.tentative>) {
    return this.actions.act(principal, query, body, 'invitation', { confirm: CONFIRM.tentative });
  }
}
