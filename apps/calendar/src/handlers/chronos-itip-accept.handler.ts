import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { CONFIRM } from '../domain/appointment';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=accept`: takes an invitation over and accepts it. */
@Handles(chronosItip.accept)
export class ChronosItipAcceptHandler implements Handler<typeof chronosItip.accept> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.accept>) {
    return this.actions.act(principal, query, body, 'invitation', { confirm: CONFIRM.accepted });
  }
}
