import { sessionmanagement, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OwnSessions } from '../sessions/own-sessions';
import { SessionCloser } from '../sessions/session-closer';

/** Ends all sessions of the user but the one of the request and hidden ones. */
@Handles(sessionmanagement.clear)
export class SessionManagementClearHandler implements Handler<typeof sessionmanagement.clear> {
  constructor(
    private readonly own: OwnSessions,
    private readonly closer: SessionCloser,
  ) {}

  async handle({ principal }: CallOf<typeof sessionmanagement.clear>) {
    const others = (await this.own.listVisible(principal)).filter(({ id }) => id !== principal.sessionId);
    await this.closer.closeByIds(others.map(({ id }) => id));
    return undefined;
  }
}
