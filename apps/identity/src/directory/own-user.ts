import { Injectable } from '@nestjs/common';
import { DirectoryErrors, type UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { entityId } from '../domain/entity-id';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';

/** Whose private things somebody may see: the own ones, and as administrator of the context those of others. */
@Injectable()
export class OwnUser {
  constructor(
    private readonly users: UserRepository,
    private readonly contexts: ContextRepository,
  ) {}

  /** The id that was named. @throws USR-0010 for others and for nobody alike */
  async idOf(db: Reader, principal: UserPrincipal, named: string): Promise<number> {
    const userId = entityId(named);
    if (userId === principal.userId) return userId;
    const isAdmin = (await this.contexts.get(db)).adminUserId === principal.userId;
    if (userId === undefined || !isAdmin || !(await this.users.find(db, userId)))
      throw DirectoryErrors.userNotFound(named, principal.contextId);
    return userId;
  }
}
