import { Injectable } from '@nestjs/common';
import {
  sessionAdministration,
  SharedAccountErrors,
  type DirectoryUser,
  type SharedAccount,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { People } from '../crosscontext/people';
import { LiaisonRepository, type LiaisonRow } from '../crosscontext/persistence/liaison.repository';
import { accountView, type AccountId } from './domain/account-view';

/** A user by id. */
export interface Owner {
  readonly context: number;
  readonly user: number;
}

/** Accounts of others in which a user may act, made of what was shared with the user and the groups of the user. */
@Injectable()
export class AccountsOfOthers {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly liaisons: LiaisonRepository,
    private readonly people: People,
    private readonly caller: Caller,
  ) {}

  /** All accounts, or the one that is asked for. @throws SHACC-0004 for an unknown user */
  async of({ context, user }: Owner, wanted?: AccountId): Promise<SharedAccount[]> {
    const tenant = { contextId: context };
    const asker = await this.people.find(tenant, user);
    if (!asker) throw SharedAccountErrors.userNotFound(user, context);
    const rows = await this.database.read(tenant, (db) =>
      this.liaisons.sharedWith(db, [user, ...asker.groups], wanted),
    );
    const zones = rows.some(({ from }) => from !== context) ? await this.people.zones(tenant, user) : [];
    const sources = [...new Set(rows.map(({ from }) => from))].sort((a, b) => a - b);
    const found = await Promise.all(
      sources.map((from) =>
        this.inContext(
          from,
          rows.filter((row) => row.from === from && !(from === context && row.owner === user)),
          context,
          zones,
        ),
      ),
    );
    return found.flat();
  }

  /** The user of a mail address or mail login. @throws SHACC-0001 unless exactly one is given, SHACC-0002 when nobody has it */
  async resolve(
    email: string | undefined,
    login: string | undefined,
    names: readonly [string, string],
  ): Promise<Owner> {
    if ((email === undefined) === (login === undefined)) throw SharedAccountErrors.exactlyOne(...names);
    const address = (email ?? login!).trim();
    // One address may not become several.
    if (address === '' || address.includes(';')) throw SharedAccountErrors.notFound();
    const found = await this.caller.call(sessionAdministration.resolveMail, {
      principal: { kind: 'service', login: 'admin' },
      query: { mail: address },
    });
    const owner = Object.values(found)[0];
    if (!owner) throw SharedAccountErrors.notFound();
    return { context: owner.cid, user: owner.uid };
  }

  /** Accounts of one context. Those of other contexts need a zone in which both users are trusted. */
  private async inContext(
    from: number,
    rows: readonly LiaisonRow[],
    context: number,
    zones: readonly string[],
  ): Promise<SharedAccount[]> {
    const ids = [...new Set(rows.map(({ owner }) => owner))];
    if (ids.length === 0 || (from !== context && zones.length === 0)) return [];
    const tenant = { contextId: from };
    const owners = (await this.people.entities(tenant, ids)).filter(
      (entity): entity is DirectoryUser => entity.kind === 'user' && entity.enabled,
    );
    const theirs = from === context ? undefined : await this.people.zonesOfMany(tenant, ids);
    return owners
      .filter(({ id }) => !theirs || theirs.get(id)!.some((zone) => zones.includes(zone)))
      .sort((a, b) => a.id - b.id)
      .map((owner) =>
        accountView(
          owner,
          rows.filter((row) => row.owner === owner.id),
          context,
        ),
      );
  }
}
