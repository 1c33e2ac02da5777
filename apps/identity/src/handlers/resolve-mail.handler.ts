import { RequestErrors, sessionAdministration, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserRepository } from '../persistence/user.repository';

type Operation = typeof sessionAdministration.resolveMail;

const MAX_ADDRESSES = 500;

/** Resolves owners of mail addresses over all contexts. */
@Handles(sessionAdministration.resolveMail)
export class ResolveMailHandler implements Handler<Operation> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
  ) {}

  async handle({ query }: CallOf<Operation>) {
    const asked = query.mail
      .split(';')
      .map((address) => address.trim())
      .filter((address) => address !== '');
    if (asked.length > MAX_ADDRESSES) throw RequestErrors.badParameter('mail', `more than ${MAX_ADDRESSES} addresses`);
    const found = await this.database.acrossContexts('a mail address leads to its context', (db) =>
      this.users.listAddressOwners(db, [...new Set(asked.map((address) => address.toLowerCase()))]),
    );
    const owners = new Map(found.map((owner) => [owner.address, owner]));
    return Object.fromEntries(
      asked.flatMap((address) => {
        const owner = owners.get(address.toLowerCase());
        if (!owner) return [];
        const { userId: uid, contextId: cid, locale: language, displayName } = owner;
        return [[address, { uid, cid, user: { language, displayName } }]];
      }),
    );
  }
}
