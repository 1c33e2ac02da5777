import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { CONFIRM } from '../domain/appointment';
import { ItipActions } from '../scheduling/itip/itip-actions';

/** `chronos/itip?action=accept_and_ignore_conflicts`: the same; conflicts never keep an invitation. */
@Handles(chronosItip.accept_and_ignore_conflicts)
export class ChronosItipAcceptAndIgnoreConflictsHandler implements Handler<
  typeof chronosItip.accept_and_ignore_conflicts
> {
  constructor(private readonly actions: ItipActions) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.accept_and_ignore_conflicts>) {
    return this.actions.act(principal, query, body, 'invitation', { confirm: CONFIRM.accepted });
  }
}
