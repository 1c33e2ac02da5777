import { Injectable } from '@nestjs/common';
import type { ClientParameters, UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { SESSION_FACTS, type Session } from '@groupware/sessions';
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
   * is switched on. Nothing before the second factor is shown.
   */
  async besideLogin(
    session: Session,
    wanted: Pick<ClientParameters, 'rampup' | 'modules'>,
  ): Promise<{ rampup?: Record<string, unknown>; modules?: Record<string, unknown> }> {
    const { principal } = session;
    if (session.parameters[SESSION_FACTS.secondFactor] === 'pending') return {};
    return {
      ...(wanted.rampup ? { rampup: await this.of(principal) } : {}),
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
