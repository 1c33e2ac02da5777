import {
  DirectoryErrors,
  mailAccountEvents,
  mailAccountProvisioning,
  type CallOf,
  type Handler,
  type PrimaryMailServers,
  type PrimaryServer,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import type { AccountChanges } from '../domain/account-input';
import { serverFields, storedServer } from '../domain/account-view';
import { serverOf, type ServerSide } from '../domain/server-address';
import { PRIMARY_ID, type StoredAccount } from '../domain/stored-account';
import { AccountRepository } from '../persistence/account.repository';

/** Sets the servers of a user's primary mail account. */
@Handles(mailAccountProvisioning.setPrimaryAccount)
export class SetPrimaryAccountHandler implements Handler<typeof mailAccountProvisioning.setPrimaryAccount> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly directory: Directory,
    private readonly repository: AccountRepository,
    private readonly clock: Clock,
  ) {}

  async handle({ query, body }: CallOf<typeof mailAccountProvisioning.setPrimaryAccount>) {
    const { contextId, userId } = query;
    this.directory.forget(query); // The user may be new.
    const user = (await this.directory.entities(query, [userId])).get(userId);
    if (user?.kind !== 'user') throw DirectoryErrors.userNotFound(userId, contextId);
    const changes: AccountChanges = {
      ...changesOf('mail', body.imap, 'login'),
      ...changesOf('transport', body.smtp, 'transport_login'),
    };
    const stored = await this.database.transact(query, async (tx) => {
      await this.repository.change(tx, userId, PRIMARY_ID, changes, this.clock.now());
      await tx.publish(mailAccountEvents['account.changed'], { userId, id: PRIMARY_ID });
      return this.repository.find(tx, userId, PRIMARY_ID);
    });
    return viewOf(stored!);
  }
}

/** Absent leaves a server as it is, null gives it back to the properties. */
function changesOf(
  side: ServerSide,
  server: PrimaryServer | null | undefined,
  login: 'login' | 'transport_login',
): AccountChanges {
  if (server === undefined) return {};
  if (server === null) return { ...serverFields(side, null), [login]: null };
  const address = serverOf(
    {
      [`${side}_server`]: server.host,
      [`${side}_port`]: server.port,
      [`${side}_secure`]: server.secure,
      [`${side}_starttls`]: server.starttls,
    },
    side,
    undefined,
  );
  return { ...serverFields(side, address ?? null), [login]: server.login ?? null };
}

function viewOf(account: StoredAccount): PrimaryMailServers {
  const one = (side: ServerSide, login: string | null | undefined): PrimaryServer | undefined => {
    const server = storedServer(account, side);
    if (!server) return undefined;
    const { host, port, secure, starttls } = server;
    return { host, port, secure, starttls, ...(login ? { login } : {}) };
  };
  return { imap: one('mail', account.login), smtp: one('transport', account.transport_login) };
}
