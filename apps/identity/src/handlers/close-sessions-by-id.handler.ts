import {
  CONTEXT_RIGHTS,
  waiveCheck,
  RestErrors,
  sessionAdministration,
  type AdminPrincipal,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { Resellers } from '../configuration/resellers';
import { requireGlobal } from '../sessions/close-scope';
import { SessionCloser } from '../sessions/session-closer';

type Operation = typeof sessionAdministration.closeSessionsById;

/** Closes sessions by id; unknown ids contribute nothing. */
@Handles(sessionAdministration.closeSessionsById)
export class CloseSessionsByIdHandler implements Handler<Operation> {
  constructor(
    private readonly closer: SessionCloser,
    private readonly sessions: SessionStore,
    private readonly resellers: Resellers,
  ) {}

  async handle({ principal, query, body }: CallOf<Operation>) {
    requireGlobal(query);
    if (body.sessionIds.length === 0) throw RestErrors.invalid('sessionIds is empty');
    if (principal.kind === 'reseller') await this.requireOwn(principal, body.sessionIds);
    else waiveCheck(CONTEXT_RIGHTS.responsible, 'other operators reach all contexts');
    await this.closer.closeByIds([...new Set(body.sessionIds)]);
    return undefined;
  }

  /** Requires sessions within the administrator's scope; unknown ones do not count. */
  private async requireOwn(principal: AdminPrincipal, ids: readonly string[]): Promise<void> {
    const found = await Promise.all(ids.map((id) => this.sessions.peek(id)));
    const contexts = found.flatMap((session) => (session ? [session.contextId] : []));
    await this.resellers.requireResponsible(principal, contexts);
  }
}
