import { authentication, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionCloser } from '../sessions/session-closer';

/** Ends sessions that a logout elsewhere named. */
@Handles(authentication.endSessions)
export class EndSessionsHandler implements Handler<typeof authentication.endSessions> {
  constructor(private readonly closer: SessionCloser) {}

  async handle({ query }: CallOf<typeof authentication.endSessions>) {
    return (await this.closer.closeByIds(query.ids)).length;
  }
}
