import { Injectable } from '@nestjs/common';
import {
  AdvertisementErrors,
  MAX_ADVERTISEMENT_BYTES,
  type AdvertisementConfigResult,
  type AdvertisementNameQuery,
  type AdvertisementPackageQuery,
  type AdvertisementUserQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Accounts } from '../accounts/accounts';
import { DEFAULT_PACKAGE } from './domain/package-name';
import { parsePackageEntry } from './domain/package-entry';
import { AdvertisementRepository } from './persistence/advertisement.repository';
import { Resellers } from './resellers';
import { UserPackage } from './user-package';

type Named = AdvertisementNameQuery | AdvertisementUserQuery;
interface User {
  readonly contextId: number;
  readonly userId: number;
}

const toRemovalResult = (removed: boolean): AdvertisementConfigResult => ({ status: removed ? 'DELETED' : 'IGNORED' });

/** Advertisement configurations: of the packages of resellers, and the previews of single users. */
@Injectable()
export class Advertisements {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: AdvertisementRepository,
    private readonly resellers: Resellers,
    private readonly packages: UserPackage,
    private readonly accounts: Accounts,
    private readonly clock: Clock,
  ) {}

  /**
   * Gets the configuration for a client as JSON text: preview, else package, else the reseller's default.
   * @throws ADVERTISEMENT-0002
   */
  async getForUser(user: UserPrincipal): Promise<string> {
    const preview = await this.database.read(user, (db) => this.rows.findPreview(db, user.userId));
    if (preview !== undefined) return preview;
    const { reseller, name } = await this.packages.resolvePackage(user);
    const found = await this.database.acrossContexts('advertisements belong to resellers', (db) =>
      this.rows.findByPackages(db, reseller, [name, DEFAULT_PACKAGE]),
    );
    const config = found.get(name) ?? found.get(DEFAULT_PACKAGE);
    if (config === undefined) throw AdvertisementErrors.notFound(`user ${user.userId} in context ${user.contextId}`);
    return config;
  }

  /** Sets the preview of a user. @throws ADVERTISEMENT-0004 */
  async putPreview(query: Named, config: unknown): Promise<AdvertisementConfigResult> {
    const user = await this.requireUser(query);
    const now = this.clock.now();
    const text = JSON.stringify(config);
    return { status: await this.database.transact(user, (tx) => this.rows.upsertPreview(tx, user.userId, text, now)) };
  }

  /** The preview of a user as JSON text. @throws ADVERTISEMENT-0002, ADVERTISEMENT-0004 */
  async getPreview(query: Named): Promise<string> {
    const user = await this.requireUser(query);
    const config = await this.database.read(user, (db) => this.rows.findPreview(db, user.userId));
    if (config === undefined) throw AdvertisementErrors.notFound(`user ${user.userId} in context ${user.contextId}`);
    return config;
  }

  /** Removes the preview of a user. @throws ADVERTISEMENT-0004 */
  async removePreview(query: Named): Promise<AdvertisementConfigResult> {
    const user = await this.requireUser(query);
    return toRemovalResult(await this.database.transact(user, (tx) => this.rows.deletePreview(tx, user.userId)));
  }

  /** Sets the configuration of a package. @throws ADVERTISEMENT-0003 */
  async putPackage(query: AdvertisementPackageQuery, config: unknown): Promise<AdvertisementConfigResult> {
    await this.requireReseller(query.reseller);
    const text = JSON.stringify(config);
    const now = this.clock.now();
    return {
      status: await this.database.acrossContexts('advertisements belong to resellers', (db) =>
        this.rows.upsert(db, query.reseller, query.package, text, now),
      ),
    };
  }

  /** The configuration of a package as JSON text. @throws ADVERTISEMENT-0002, ADVERTISEMENT-0003 */
  async getPackage(query: AdvertisementPackageQuery): Promise<string> {
    await this.requireReseller(query.reseller);
    const found = await this.database.acrossContexts('advertisements belong to resellers', (db) =>
      this.rows.findByPackages(db, query.reseller, [query.package]),
    );
    const config = found.get(query.package);
    if (config === undefined)
      throw AdvertisementErrors.notFound(`package ${query.package} of reseller ${query.reseller}`);
    return config;
  }

  /** Removes the configuration of a package. @throws ADVERTISEMENT-0003 */
  async removePackage(query: AdvertisementPackageQuery): Promise<AdvertisementConfigResult> {
    await this.requireReseller(query.reseller);
    return toRemovalResult(
      await this.database.acrossContexts('advertisements belong to resellers', (db) =>
        this.rows.delete(db, query.reseller, query.package),
      ),
    );
  }

  /** Sets and removes packages of a reseller; the outcome of each, in order. @throws ADVERTISEMENT-0003 */
  async putReseller(reseller: string, entries: readonly unknown[]): Promise<AdvertisementConfigResult[]> {
    await this.requireReseller(reseller);
    const now = this.clock.now();
    return this.database.acrossContexts('advertisements belong to resellers', async (db) => {
      const results: AdvertisementConfigResult[] = [];
      for (const each of entries) {
        const entry = parsePackageEntry(each, MAX_ADVERTISEMENT_BYTES);
        if ('error' in entry) results.push({ status: 'ERROR', error: entry.error });
        else if (entry.config === null)
          results.push(toRemovalResult(await this.rows.delete(db, reseller, entry.package)));
        else results.push({ status: await this.rows.upsert(db, reseller, entry.package, entry.config, now) });
      }
      return results;
    });
  }

  /** Every package of a reseller as JSON text. @throws ADVERTISEMENT-0002, ADVERTISEMENT-0003 */
  async getReseller(reseller: string): Promise<string> {
    await this.requireReseller(reseller);
    const text = await this.database.acrossContexts('advertisements belong to resellers', (db) =>
      this.rows.findByReseller(db, reseller),
    );
    if (text === undefined) throw AdvertisementErrors.notFound(`reseller ${reseller}`);
    return text;
  }

  /** Removes every package of a reseller. @throws ADVERTISEMENT-0003 */
  async removeReseller(reseller: string): Promise<AdvertisementConfigResult[]> {
    await this.requireReseller(reseller);
    const removed = await this.database.acrossContexts('advertisements belong to resellers', (db) =>
      this.rows.deleteAll(db, reseller),
    );
    return Array.from({ length: removed }, () => toRemovalResult(true));
  }

  private async requireReseller(reseller: string): Promise<void> {
    if (!(await this.resellers.resellerExists(reseller))) throw AdvertisementErrors.unknownReseller(reseller);
  }

  private async requireUser(query: Named): Promise<User> {
    const { contextId } = query;
    const account = await this.accounts.findAccount(
      { contextId },
      'name' in query ? { name: query.name } : { user: query.userId },
    );
    if (!account) throw AdvertisementErrors.unknownUser('name' in query ? `"${query.name}"` : query.userId, contextId);
    return { contextId, userId: account.userId };
  }
}
