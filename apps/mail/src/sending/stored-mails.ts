import { MailErrors, type MailboxAccess, type UserRequest } from '@groupware/contracts';
import { findRefusal } from '@groupware/mail-access';
import { Injectable } from '@nestjs/common';
import { Mailboxes } from '../accounts/mailboxes';
import type { MailFolder } from '../domain/mail-folder';
import type { MailPlace } from '../domain/mail-path';
import { ensureStandardFolder, type StandardRole } from '../folders/standard-folders';
import { findKeeper } from './senders';

/** Place where a mail was stored; `uid` is 0 where the server does not tell it. */
export type StoredPlace = MailPlace;

/** Stores mails in mailboxes. */
@Injectable()
export class StoredMails {
  constructor(private readonly mailboxes: Mailboxes) {}

  /** Stores a mail in a folder of the user. @throws MSG-0117 when the mailbox is full */
  async storeMail(
    request: UserRequest,
    folder: MailFolder,
    source: Buffer,
    flags: readonly string[],
    received?: Date,
  ): Promise<StoredPlace> {
    return this.mailboxes.useFolder(request, folder, {}, async ({ session }) => {
      try {
        return { folder, uid: (await session.append(folder.path, source, flags, received)) ?? 0 };
      } catch (error) {
        throw findRefusal(error)?.code === 'OVERQUOTA' ? MailErrors.mailOverQuota().with({ cause: error }) : error;
      }
    });
  }

  /**
   * Finds the folder of a role, which is made where there is none, while something else goes on; a connection to the mailbox is ready
   * then. Undefined where that fails.
   */
  async findRole(request: UserRequest, sender: MailboxAccess, role: StandardRole): Promise<string | undefined> {
    try {
      return await this.mailboxes.useAccount(request, findKeeper(sender), { repeatable: true }, (session, account) =>
        ensureStandardFolder(session, account, role),
      );
    } catch {
      // The folder is looked up again when the mail is stored, which tells why it fails.
      return undefined;
    }
  }

  /**
   * Stores a mail of an account in the folder of a role, which is made where there is none.
   * @param found what {@link findRole} answered
   * @throws MSG-0116 when the mailbox is full
   */
  async storeByRole(
    request: UserRequest,
    sender: MailboxAccess,
    role: StandardRole,
    source: Buffer,
    flags: readonly string[],
    found?: string,
  ): Promise<StoredPlace> {
    const id = findKeeper(sender);
    return this.mailboxes.useAccount(request, id, {}, async (session, account) => {
      const append = async (path: string) => ({
        folder: { account: id, path },
        uid: (await session.append(path, source, flags)) ?? 0,
      });
      const ensure = () => ensureStandardFolder(session, account, role);
      try {
        if (found === undefined) return await append(await ensure());
        return await append(found).catch(async (error: unknown) => {
          // It went meanwhile: nothing was stored.
          if (findRefusal(error)?.code !== 'TRYCREATE') throw error;
          return append(await ensure());
        });
      } catch (error) {
        throw findRefusal(error)?.code === 'OVERQUOTA' ? MailErrors.draftOverQuota().with({ cause: error }) : error;
      }
    });
  }

  /** Removes a draft for good; false when it is none, is gone already, or cannot be removed. */
  async removeDraft(request: UserRequest, { folder, uid }: MailPlace): Promise<boolean> {
    return this.attempt(request, folder, async (session) => {
      const [found] = await session.fetch([uid], { uid: true, flags: true });
      // Clients name the mail that they answer in the same way as the draft that they replace.
      if (!found?.flags?.has('\\Draft')) throw MailErrors.notFound(uid, folder.path);
      await session.remove([uid]);
    });
  }

  /** Sets a flag; false where that is not possible. */
  async flagMail(request: UserRequest, { folder, uid }: MailPlace, flag: string): Promise<boolean> {
    return this.attempt(request, folder, async (session) => {
      const [found] = await session.fetch([uid], { uid: true });
      if (!found || session.isReadOnly) throw MailErrors.originalNotFlagged();
      await session.store([uid], 'add', [flag]);
    });
  }

  private attempt(
    request: UserRequest,
    folder: MailFolder,
    work: (session: Parameters<Parameters<Mailboxes['useFolder']>[3]>[0]['session']) => Promise<void>,
  ): Promise<boolean> {
    return this.mailboxes
      .useFolder(request, folder, {}, ({ session }) => work(session))
      .then(
        () => true,
        () => false,
      );
  }
}
