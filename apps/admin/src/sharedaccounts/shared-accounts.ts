import { Injectable } from '@nestjs/common';
import {
  directory,
  sessionAdministration,
  SharedAccountErrors,
  type DirectoryUser,
  type SharedAccount,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { BasePathSettings } from '@groupware/service-kit';
import { IdentityClient } from '../crosscontext/identity-client';
import { LiaisonRepository, type LiaisonRow } from '../crosscontext/persistence/liaison.repository';
import { toAccountView, type AccountId } from './domain/account-view';

/** A user by id. */
export interface Owner {
  readonly context: number;
  readonly user: number;
}

/** Accounts of others in which a user may act, made of what was shared with the user and the groups of the user. */
@Injectable()
export class SharedAccounts {
  /** Base of the addresses of this server. */
  private readonly basePath: string;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly liaisons: LiaisonRepository,
    private readonly identity: IdentityClient,
    private readonly caller: Caller,
    base: BasePathSettings,
  ) {
    this.basePath = base.basePaths()[0] ?? '';
  }

  /** Lists all accounts, or the requested one. @throws SHACC-0004 for an unknown user */
  async listAccounts({ context, user }: Owner, wanted?: AccountId): Promise<SharedAccount[]> {
    const tenant = { contextId: context };
    const asker = await this.identity.findUser(tenant, user);
    if (!asker) throw SharedAccountErrors.userNotFound(user, context);
    const rows = await this.database.read(tenant, (db) =>
      this.liaisons.listSharedWith(db, [user, ...asker.groups], wanted),
    );
    const zones = rows.some(({ from }) => from !== context) ? await this.identity.listZones(tenant, user) : [];
    const sources = [...new Set(rows.map(({ from }) => from))].sort((a, b) => a - b);
    const found = await Promise.all(
      sources.map((from) =>
        this.loadContextAccounts(
          from,
          rows.filter((row) => row.from === from && !(from === context && row.owner === user)),
          context,
          zones,
        ),
      ),
    );
    return found.flat();
  }

  /**
   * Resolves the user of a mail address or mail login.
   * @throws SHACC-0001 unless exactly one is given, SHACC-0002 for an unknown one
   */
  async resolveUser(
    email: string | undefined,
    login: string | undefined,
    names: readonly [string, string],
  ): Promise<Owner> {
    if ((email === undefined) === (login === undefined)) throw SharedAccountErrors.exactlyOne(...names);
    const address = (email ?? login!).trim();
    // One address may not become several.
    if (address === '' || address.includes(';')) throw SharedAccountErrors.notFound();
    // A provisioned login wins over an equal address of another user.
    const given = login === undefined ? [] : await this.usersOfMailLogin(address);
    if (given.length > 1) throw SharedAccountErrors.notFound();
    if (given.length === 1) return given[0]!;
    const found = await this.caller.call(sessionAdministration.resolveMail, {
      principal: { kind: 'internal', service: 'admin', contextId: 0 },
      query: { mail: address },
    });
    const owner = Object.values(found)[0];
    if (!owner) throw SharedAccountErrors.notFound();
    return { context: owner.cid, user: owner.uid };
  }

  private async usersOfMailLogin(login: string): Promise<Owner[]> {
    const found = await this.caller.call(directory.usersOfMailLogin, {
      principal: { kind: 'internal', service: 'admin', contextId: 0 },
      query: { login },
    });
    return found.map(({ contextId: context, userId: user }) => ({ context, user }));
  }

  /** Accounts of one context. Those of other contexts need a zone in which both users are trusted. */
  private async loadContextAccounts(
    from: number,
    rows: readonly LiaisonRow[],
    context: number,
    zones: readonly string[],
  ): Promise<SharedAccount[]> {
    const ids = [...new Set(rows.map(({ owner }) => owner))];
    if (ids.length === 0 || (from !== context && zones.length === 0)) return [];
    const tenant = { contextId: from };
    const owners = (await this.identity.listEntities(tenant, ids)).filter(
      (entity): entity is DirectoryUser => entity.kind === 'user' && entity.enabled,
    );
    const contacts = await this.identity.listContacts(
      tenant,
      owners.map(({ id }) => id),
    );
    const theirs = from === context ? undefined : await this.identity.listZonesOfUsers(tenant, ids);
    return owners
      .filter(({ id }) => !theirs || theirs.get(id)!.some((zone) => zones.includes(zone)))
      .sort((a, b) => a.id - b.id)
      .map((owner) =>
        toAccountView(
          owner,
          rows.filter((row) => row.owner === owner.id),
          { inContext: context, contact: contacts.get(owner.id), basePath: this.basePath },
        ),
      );
  }
}
