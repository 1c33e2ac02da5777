import { Injectable } from '@nestjs/common';
import { isCatalogueError, SessionErrors } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { UserRepository } from '../persistence/user.repository';
import { PrincipalBuilder, type PrincipalDraft } from './principal-builder';

/** Users who may log in. */
@Injectable()
export class ActiveUsers {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly principals: PrincipalBuilder,
  ) {}

  /** Finds a user; undefined when the user or the context is disabled or gone. */
  async findPrincipal(contextId: number, userId: number): Promise<PrincipalDraft | undefined> {
    try {
      return await this.database.read({ contextId }, async (db) => {
        const user = await this.users.findById(db, userId);
        const current = user && (await this.users.findLoginCandidate(db, user.name));
        return user && current?.enabled && current.contextEnabled ? this.principals.build(db, user) : undefined;
      });
    } catch (error) {
      if (isCatalogueError(error, SessionErrors.contextDisabled)) return undefined;
      throw error;
    }
  }
}
