import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { UserRows } from '../directory/user-rows';

/** Data that a client loads first, by the name of the call it stands for. */
@Injectable()
export class RampUp {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: UserRows,
  ) {}

  /** What this service knows about the user of a session. */
  async of(principal: UserPrincipal): Promise<Record<string, unknown>> {
    const user = await this.database.read(principal, (db) => this.rows.one(db, principal, principal.userId));
    return {
      user,
      serverConfig: { capabilities: principal.capabilities.map((id) => ({ id, attributes: {} })) },
    };
  }
}
