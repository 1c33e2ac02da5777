import { directory, PUSHED_MAIL_RESOLVE_MODE, sessionAdministration } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { Caller } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { readUserName } from '../domain/user-name';
import type { PushedMail } from './pushed-mail.repository';

/** Owner of a mail. */
export interface MailOwner {
  readonly contextId: number;
  readonly userId: number;
}

/** Finds out whose mail was pushed, in the one way that is configured: `1@2` would be a valid form of three of them. */
@Injectable()
export class MailOwners {
  constructor(
    private readonly caller: Caller,
    private readonly directory: Directory,
    private readonly properties: Properties,
  ) {}

  /** Users of the mail; several where it is addressed to several, each of whom gets it once. */
  async of({ userName, recipients }: Pick<PushedMail, 'userName' | 'recipients'>): Promise<MailOwner[]> {
    switch (this.properties.serverValue(PUSHED_MAIL_RESOLVE_MODE)) {
      case 'synthetic':
        return this.byIds(userName);
      case 'mailLogin':
        // One address may not become several.
        return userName?.includes(';') ? [] : this.byAddress(userName ? [userName] : []);
      case 'loginInfo':
        return this.byLogin(userName);
      default:
        return this.byAddress(recipients);
    }
  }

  private async byAddress(addresses: readonly string[]): Promise<MailOwner[]> {
    const mail = addresses.filter((address) => !address.includes(';')).join(';');
    if (!mail) return [];
    const found = await this.caller.call(sessionAdministration.resolveMail, {
      principal: { kind: 'internal', service: 'push', contextId: 0 },
      query: { mail },
    });
    const owners = Object.values(found).map(({ cid, uid }) => ({ contextId: cid, userId: uid }));
    return [...new Map(owners.map((owner) => [`${owner.contextId}:${owner.userId}`, owner])).values()];
  }

  private async byIds(userName: string | null): Promise<MailOwner[]> {
    const owner = readUserName(userName);
    if (!owner) return [];
    const known = (await this.directory.getEntities(owner, [owner.userId])).get(owner.userId);
    return known?.kind === 'user' ? [owner] : [];
  }

  private async byLogin(userName: string | null): Promise<MailOwner[]> {
    if (!userName) return [];
    const owner = await this.caller.call(directory.userOfLogin, {
      principal: { kind: 'internal', service: 'push', contextId: 0 },
      query: { login: userName },
    });
    return owner ? [owner] : [];
  }
}
