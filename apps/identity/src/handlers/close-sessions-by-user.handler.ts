import { RestErrors, sessionAdministration, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionCloser } from '../sessions/session-closer';

type Operation = typeof sessionAdministration.closeSessionsByUser;

/** Closes all sessions of users; unknown users contribute nothing. */
@Handles(sessionAdministration.closeSessionsByUser)
export class CloseSessionsByUserHandler implements Handler<Operation> {
  constructor(private readonly closer: SessionCloser) {}

  async handle({ body }: CallOf<Operation>) {
    if (body.users.length === 0) throw RestErrors.invalid('users is empty');
    await Promise.all(body.users.map(({ contextId, userId }) => this.closer.byUser(contextId, userId)));
    return undefined;
  }
}
