import {
  MAX_MESSAGING_ACCOUNTS,
  MessagingErrors,
  QuotaErrors,
  RequestErrors,
  type MessagingAccount,
  type MessagingAccountData,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { StoredFileRepository } from '@groupware/stored-files';
import { Injectable } from '@nestjs/common';
import { parseConfiguration, requireService } from '../domain/messaging-service';
import { MessagingAccountRepository } from './messaging-account.repository';

/** Keeps the accounts of users at messaging services. */
@Injectable()
export class MessagingAccountBook {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: MessagingAccountRepository,
    private readonly counters: StoredFileRepository,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** @param service default: all. @throws MESSAGING-0015 */
  async listAccounts(user: UserPrincipal, service?: string): Promise<MessagingAccount[]> {
    if (service) requireService(service);
    return this.database.read(user, (db) => this.rows.list(db, user.userId, service || null));
  }

  /** @throws MESSAGING-0004, MESSAGING-0015 */
  async getAccount(user: UserPrincipal, service: string, id: number): Promise<MessagingAccount> {
    requireService(service);
    const account = await this.database.read(user, (db) => this.rows.findAccount(db, user.userId, service, id));
    if (!account) throw MessagingErrors.accountNotFound(id, service);
    return account;
  }

  /** Stores an account; answers its id. @throws MESSAGING-0015 to MESSAGING-0017, QUOTA-0003 */
  async createAccount(user: UserPrincipal, input: MessagingAccountData): Promise<number> {
    const messagingService = requireNamed('messagingService', input.messagingService);
    requireService(messagingService);
    const displayName = requireNamed('displayName', input.displayName);
    const configuration = parseConfiguration(input.configuration);
    const most = await this.properties.get(MAX_MESSAGING_ACCOUNTS, user);
    return this.database.transact(user, async (tx) => {
      // Locks the context: two at the same time see each other's account.
      const { nextId: id } = await this.counters.advanceCounters(tx, this.clock.now(), 1);
      const count = await this.rows.count(tx, user.userId);
      if (most >= 0 && count >= most) throw QuotaErrors.exceeded('messaging accounts', count, most);
      await this.rows.insert(tx, user.userId, { id, messagingService, displayName, configuration });
      return id;
    });
  }

  /** Changes what the input has. @throws MESSAGING-0004, MESSAGING-0015 to MESSAGING-0017 */
  async updateAccount(user: UserPrincipal, input: MessagingAccountData): Promise<void> {
    const service = requireNamed('messagingService', input.messagingService);
    requireService(service);
    const { id, displayName, configuration } = input;
    if (id === undefined) throw MessagingErrors.missingParameter('id');
    if (displayName === null) throw RequestErrors.badBodyData('displayName');
    const changes = {
      ...(displayName !== undefined && { displayName: requireNamed('displayName', displayName) }),
      ...(configuration !== undefined && { configuration: parseConfiguration(configuration) }),
    };
    await this.database.transact(user, async (tx) => {
      await this.counters.advanceCounters(tx, this.clock.now(), 0);
      const account = await this.rows.findAccount(tx, user.userId, service, id);
      if (!account) throw MessagingErrors.accountNotFound(id, service);
      await this.rows.update(tx, user.userId, { ...account, ...changes });
    });
  }

  /** @throws MESSAGING-0004, MESSAGING-0015 */
  async deleteAccount(user: UserPrincipal, service: string, id: number): Promise<void> {
    requireService(service);
    const isDeleted = await this.database.transact(user, (tx) => this.rows.delete(tx, user.userId, service, id));
    if (!isDeleted) throw MessagingErrors.accountNotFound(id, service);
  }
}

/** @throws MESSAGING-0016 */
function requireNamed(name: string, text: string | null | undefined): string {
  if (!text?.trim()) throw MessagingErrors.missingParameter(name);
  return text.trim();
}
