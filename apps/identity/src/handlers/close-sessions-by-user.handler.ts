import { RestErrors, sessionAdministration, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Resellers } from '../configuration/resellers';
import { requireGlobal } from '../sessions/close-scope';
import { SessionCloser } from '../sessions/session-closer';

type Operation = typeof sessionAdministration.closeSessionsByUser;

/** Closes all sessions of users; unknown users contribute nothing. */
@Handles(sessionAdministration.closeSessionsByUser)
export class CloseSessionsByUserHandler implements Handler<Operation> {
  constructor(
    private readonly closer: SessionCloser,
    private readonly resellers: Resellers,
  ) {}

  async handle({ principal, query, body }: CallOf<Operation>) {
    requireGlobal(query);
    if (body.users.length === 0) throw RestErrors.invalid('users is empty');
    await this.resellers.requireResponsible(
      principal,
      body.users.map(({ contextId }) => contextId),
    );
    await Promise.all(body.users.map(({ contextId, userId }) => this.closer.closeByUser(contextId, userId)));
    return undefined;
  }
}
