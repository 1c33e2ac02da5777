import { system, type CallOf, type Handler, type WhoAmI } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** Answers `system?action=whoami`; open before the second factor, so that clients can prompt for it. */
@Handles(system.whoami)
export class SystemWhoAmIHandler implements Handler<typeof system.whoami> {
  async handle({ principal }: CallOf<typeof system.whoami>): Promise<WhoAmI> {
    return {
      session: principal.sessionId,
      user: principal.login,
      user_id: String(principal.userId),
      context_id: String(principal.contextId),
      locale: principal.locale,
      ...(principal.secondFactorPending && { requires_multifactor: true }),
    };
  }
}
