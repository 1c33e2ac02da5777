import { manifests, type CallOf, type EdgeRequest, type Handler, type UserPrincipal } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionGuard, SessionStore, toPrincipal } from '@groupware/sessions';
import { ServerConfiguration } from '../server-configuration';

/** `config`: what a client must know of the server, before and after the login. */
@Handles(manifests.config)
export class ManifestsConfigHandler implements Handler<typeof manifests.config> {
  private readonly guard: SessionGuard;

  constructor(
    sessions: SessionStore,
    private readonly configuration: ServerConfiguration,
  ) {
    this.guard = new SessionGuard(sessions);
  }

  async handle({ edge }: CallOf<typeof manifests.config>) {
    return this.configuration.build(edge!.host, await this.findUser(edge!));
  }

  /** The user of the session, of its cookies where no parameter names one. A session that ended is none: the client finds out by its next call. */
  private async findUser(edge: EdgeRequest): Promise<UserPrincipal | undefined> {
    const session = await (edge.session === undefined
      ? this.guard.findPublicSession(edge)
      : this.guard.findSession({ ...edge, sessionId: edge.session }));
    if (!session) return undefined;
    const principal = toPrincipal(session);
    return principal.secondFactorPending ? undefined : principal;
  }
}
