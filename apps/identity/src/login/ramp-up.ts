import { Injectable } from '@nestjs/common';
import { login, opensToApp, type ClientParameters, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { principalOf, type Session } from '@groupware/sessions';
import { modulesOf } from '../domain/config-modules';
import { UserRows } from '../directory/user-rows';

/** Data that a client loads first, by the name of the call it stands for. */
@Injectable()
export class RampUp {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: UserRows,
  ) {}

  /**
   * What a login answers besides the session when it was asked to: the data that a client loads first, and the tree of what
   * is switched on. Nothing before the second factor is shown, and no data that the session could not ask for.
   */
  async besideLogin(
    session: Session,
    wanted: Pick<ClientParameters, 'rampup' | 'modules'>,
  ): Promise<{ rampup?: Record<string, unknown>; modules?: Record<string, unknown> }> {
    const principal = principalOf(session);
    if (principal.secondFactorPending) return {};
    const mayLoad = !principal.appScopes || opensToApp(login.rampup, principal.appScopes);
    return {
      ...(wanted.rampup && mayLoad ? { rampup: await this.of(principal) } : {}),
      ...(wanted.modules ? { modules: modulesOf(new Set(principal.capabilities)) } : {}),
    };
  }

  /** What this service knows about the user of a session. */
  async of(principal: UserPrincipal): Promise<Record<string, unknown>> {
    const user = await this.database.read(principal, (db) => this.rows.one(db, principal, principal.userId));
    return {
      user,
      serverConfig: { capabilities: principal.capabilities.map((id) => ({ id, attributes: {} })) },
    };
  }
}
