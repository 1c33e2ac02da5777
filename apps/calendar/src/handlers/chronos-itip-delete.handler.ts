import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=delete`: deletes what was called off. */
@Handles(chronosItip.delete)
export class ChronosItipDeleteHandler implements Handler<typeof chronosItip.delete> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.delete>) {
    return this.actions.act(principal, query, body, 'cancellation');
  }
}
