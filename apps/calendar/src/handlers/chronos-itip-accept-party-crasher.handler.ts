import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=accept_party_crasher`: takes over the answer of a sender who was not invited. */
@Handles(chronosItip.accept_party_crasher)
export class ChronosItipAcceptPartyCrasherHandler implements Handler<typeof chronosItip.accept_party_crasher> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.accept_party_crasher>) {
    return this.actions.act(principal, query, body, 'reply', { addsSender: true });
  }
}
