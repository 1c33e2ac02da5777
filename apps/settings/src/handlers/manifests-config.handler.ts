import {
  CatalogueError,
  manifests,
  SessionErrors,
  type CallOf,
  type EdgeRequest,
  type Handler,
} from '@groupware/contracts';
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
    return this.configuration.build(edge!.host, await this.findCapabilities(edge!));
  }

  /** Capabilities of the session's user. A session that ended is none: the client finds out by its next call. */
  private async findCapabilities(edge: EdgeRequest): Promise<readonly string[] | undefined> {
    const { session } = edge;
    if (!session) return undefined;
    try {
      const found = await this.guard.authenticate({ ...edge, sessionId: session });
      const { capabilities, secondFactorPending } = toPrincipal(found);
      return secondFactorPending ? undefined : capabilities;
    } catch (error) {
      if (error instanceof CatalogueError && !error.is(SessionErrors.storeDown)) return undefined;
      throw error;
    }
  }
}
