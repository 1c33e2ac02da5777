import { RestErrors, sessionAdministration, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionCloser } from '../sessions/session-closer';

type Operation = typeof sessionAdministration.closeSessionsById;

/** Closes sessions by id; unknown ids contribute nothing. */
@Handles(sessionAdministration.closeSessionsById)
export class CloseSessionsByIdHandler implements Handler<Operation> {
  constructor(private readonly closer: SessionCloser) {}

  async handle({ body }: CallOf<Operation>) {
    if (body.sessionIds.length === 0) throw RestErrors.invalid('sessionIds is empty');
    await this.closer.byId([...new Set(body.sessionIds)]);
    return undefined;
  }
}
