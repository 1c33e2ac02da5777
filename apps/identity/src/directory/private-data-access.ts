import { Injectable } from '@nestjs/common';
import { DIRECTORY_RIGHTS, recordCheck, DirectoryErrors, type UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { parseEntityId } from '../domain/entity-id';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';

/** Access to private data: one's own, and that of all users for the administrator of the context. */
@Injectable()
export class PrivateDataAccess {
  constructor(
    private readonly users: UserRepository,
    private readonly contexts: ContextRepository,
  ) {}

  /**
   * Parses a user id and requires access to that user's private data.
   * @throws USR-0010 for denied and for unknown users
   */
  async requireAccess(db: Reader, principal: UserPrincipal, named: string): Promise<number> {
    recordCheck(DIRECTORY_RIGHTS.readPrivateData);
    recordCheck(DIRECTORY_RIGHTS.editPrivateData);
    const userId = parseEntityId(named);
    if (userId === principal.userId) return userId;
    const isAdmin = (await this.contexts.get(db)).adminUserId === principal.userId;
    if (userId === undefined || !isAdmin || !(await this.users.findById(db, userId)))
      throw DirectoryErrors.userNotFound(named, principal.contextId);
    return userId;
  }
}
