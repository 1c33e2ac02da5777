import {
  RestErrors,
  sessionAdministration,
  type AdminPrincipal,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { Resellers } from '../configuration/resellers';
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

  async handle({ principal, body }: CallOf<Operation>) {
    if (body.sessionIds.length === 0) throw RestErrors.invalid('sessionIds is empty');
    if (principal.kind === 'reseller') await this.expectOwn(principal, body.sessionIds);
    await this.closer.byId([...new Set(body.sessionIds)]);
    return undefined;
  }

  /** Unknown sessions belong to nobody, so they do not count. */
  private async expectOwn(principal: AdminPrincipal, ids: readonly string[]): Promise<void> {
    const found = await Promise.all(ids.map((id) => this.sessions.peek(id)));
    const contexts = found.flatMap((session) => (session ? [session.contextId] : []));
    await this.resellers.expectResponsible(principal, contexts);
  }
}
