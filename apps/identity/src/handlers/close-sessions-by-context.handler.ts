import { RestErrors, sessionAdministration, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Resellers } from '../configuration/resellers';
import { requireGlobal } from '../sessions/close-scope';
import { SessionCloser } from '../sessions/session-closer';

type Operation = typeof sessionAdministration.closeSessionsByContext;

/** Closes all sessions of contexts; unknown contexts contribute nothing. */
@Handles(sessionAdministration.closeSessionsByContext)
export class CloseSessionsByContextHandler implements Handler<Operation> {
  constructor(
    private readonly closer: SessionCloser,
    private readonly resellers: Resellers,
  ) {}

  async handle({ principal, query, body }: CallOf<Operation>) {
    requireGlobal(query);
    if (body.contextIds.length === 0) throw RestErrors.invalid('contextIds is empty');
    if (body.contextIds.some((id) => id < 1)) throw RestErrors.invalid('contextIds are 1 or more');
    await this.resellers.requireResponsible(principal, body.contextIds);
    const closed: string[] = [];
    for (const contextId of new Set(body.contextIds))
      for (const id of await this.closer.closeByContext(contextId)) closed.push(id);
    return { closed };
  }
}
