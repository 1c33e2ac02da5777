import { CatalogueError, type MailAddress, type UserRequest } from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { Mailboxes } from '../accounts/mailboxes';
import { MailLogins } from '../accounts/mail-logins';
import type { MailPlace } from '../domain/mail-path';

/** Finds the users whose mailboxes hold shared folders: mails there are answered in the name of their owner. */
@Injectable()
export class FolderOwners {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly logins: MailLogins,
  ) {}

  /** Address of the owner of a mail that the user can read in a shared folder; undefined for other mails. */
  async findOwner(request: UserRequest, { folder, uid }: MailPlace): Promise<MailAddress | undefined> {
    try {
      const login = await this.mailboxes.useFolder(request, folder, { repeatable: true }, async ({ session }) => {
        const owner = session.findOwner(folder.path);
        return owner !== undefined && (await session.fetch([uid], { uid: true })).length > 0 ? owner : undefined;
      });
      return await this.findAddress(request, folder.account, login);
    } catch (error) {
      if (error instanceof CatalogueError) return undefined;
      throw error;
    }
  }

  /** Address of another user who logs in to the server of an account with a login; undefined without one. */
  async findAddress(
    request: UserRequest,
    accountId: number,
    login: string | undefined,
  ): Promise<MailAddress | undefined> {
    if (login === undefined) return undefined;
    const owner = await this.logins.findOwner(request, await this.mailboxes.getAccount(request, accountId), login);
    if (!owner?.account.primaryAddress || owner.userId === request.principal.userId) return undefined;
    return [owner.account.personal ?? null, owner.account.primaryAddress];
  }
}
