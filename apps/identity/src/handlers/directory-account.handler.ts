import { directory, type CallOf, type DirectoryAccount, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { toEffectiveAccess, UserRepository } from '../persistence/user.repository';

/** Reads the taxonomy of a user and the context. */
@Handles(directory.account)
export class AccountHandler implements Handler<typeof directory.account> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly contexts: ContextRepository,
  ) {}

  handle({ principal, query }: CallOf<typeof directory.account>): Promise<DirectoryAccount | null> {
    return this.database.read(principal, async (db) => {
      const user =
        query.user === undefined
          ? await this.users.findByName(db, query.name ?? '')
          : await this.users.findById(db, query.user);
      const context = user && (await this.contexts.findCurrent(db));
      if (!context) return null;
      return {
        userId: user.id,
        enabled: user.enabled,
        contextEnabled: context.enabled,
        accessCombination: toEffectiveAccess(user).combination,
        taxonomyTypes: context.taxonomyTypes,
        contextGroup: context.contextGroup,
        reseller: context.reseller,
      };
    });
  }
}
