import {
  ImapErrors,
  MAIL_FLAGGING,
  MAIL_FLAGS,
  MailErrors,
  type MailboxAccess,
  type MailUpdateBody,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { atom, findRefusal, text, type ImapSession } from '@groupware/mail-access';
import { MailHeaders } from '@groupware/mail-content';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { Mailboxes, selectFolder, type OpenFolder } from '../accounts/mailboxes';
import { COLOR_KEYWORDS, MAX_COLOR, toColorKeyword, toServerFlags } from '../domain/mail-flags';
import { isWithin, toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { ensureStandardFolder, findStandardFolder } from '../folders/standard-folders';

/** Ids of mails in the folder that they went to, by the former ones; a mail whose new id is unknown is missing. */
export type NewIds = ReadonlyMap<number, number>;

/** Changes mails. */
@Injectable()
export class MailWriter {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly properties: Properties,
  ) {}

  /** Sets and clears colour and flags; those that only servers set have no effect. @throws MSG-0010 */
  async changeFlags(
    user: UserPrincipal,
    session: ImapSession,
    uids: readonly number[],
    body: MailUpdateBody,
  ): Promise<void> {
    const isImplicit = (await this.properties.get(MAIL_FLAGGING, user)) === 'flaggedImplicit';
    const wanted = isImplicit ? withImplicitFlag(body) : body;
    const { color_label: color, flags = 0, value = false, set_flags = 0, clear_flags = 0 } = wanted;
    if (color != null && (color < 0 || color > MAX_COLOR)) throw MailErrors.badColorLabel(color);
    if (color != null) {
      const keyword = toColorKeyword(color);
      await session.store(
        uids,
        'remove',
        COLOR_KEYWORDS.filter((each) => each !== keyword),
      );
      if (color > 0) await session.store(uids, 'add', [keyword]);
    }
    await session.store(uids, value ? 'add' : 'remove', toServerFlags(flags));
    await session.store(uids, 'add', toServerFlags(set_flags));
    await session.store(uids, 'remove', toServerFlags(clear_flags));
  }

  /** The move that a change of the spam bit makes: true into the folder for spam, false from there back into the inbox. */
  async findSpamTarget(
    { session, account, folder }: OpenFolder,
    body: MailUpdateBody,
  ): Promise<MailFolder | undefined> {
    const { flags = 0, value = false, set_flags = 0, clear_flags = 0 } = body;
    const isSpam = ((value ? flags : 0) | set_flags) & MAIL_FLAGS.spam;
    const isHam = ((value ? 0 : flags) | clear_flags) & MAIL_FLAGS.spam;
    if (isSpam) return { account: account.id, path: await ensureStandardFolder(session, account, 'spam') };
    if (!isHam) return undefined;
    const spam = findStandardFolder(await session.listMailboxes(false), account, 'spam')?.path;
    return isWithin(folder, spam, session.separator) ? { account: account.id, path: 'INBOX' } : undefined;
  }

  /**
   * Moves mails of the selected folder, also into another account.
   * @throws MSG-9002 when another account took some of them only; those moved, the others are where they were
   */
  async moveMails(request: UserRequest, open: OpenFolder, uids: readonly number[], to: MailFolder): Promise<NewIds> {
    if (toMailFolderId(to) === toMailFolderId(open.folder)) return new Map(uids.map((uid) => [uid, uid]));
    if (to.account !== open.folder.account) return this.moveToAccount(request, open, uids, to);
    return this.transfer(open, uids, to, 'move');
  }

  /** Copies mails of the selected folder, also into another account. */
  async copyMails(request: UserRequest, open: OpenFolder, uids: readonly number[], to: MailFolder): Promise<NewIds> {
    if (to.account === open.folder.account) return this.transfer(open, uids, to, 'copy');
    const ids = new Map<number, number>();
    await this.copyToAccount(request, open, uids, to, (uid, id) => void ids.set(uid, id));
    return ids;
  }

  /**
   * Deletes mails of the selected folder: into the trash of the account, or for good, as in the trash itself.
   * @returns the folder they went to, undefined when they are gone
   * @throws MSG-0039 when the mailbox is too full for that
   */
  async deleteMails(open: OpenFolder, uids: readonly number[], hard: boolean): Promise<MailFolder | undefined> {
    const { session, account, folder } = open;
    const trash = hard ? undefined : await this.findTrash(session, account, folder);
    if (!trash) {
      await selectFolder(session, folder);
      await session.remove(uids);
      return undefined;
    }
    await selectFolder(session, folder);
    try {
      await session.move(uids, trash.path);
    } catch (error) {
      if (findRefusal(error)?.code === 'OVERQUOTA') throw MailErrors.trashOverQuota().with({ cause: error });
      throw error;
    }
    return trash;
  }

  /** The trash for mails of a folder; undefined where they are in it already. */
  private async findTrash(
    session: ImapSession,
    account: MailboxAccess,
    folder: MailFolder,
  ): Promise<MailFolder | undefined> {
    const path = await ensureStandardFolder(session, account, 'trash');
    return isWithin(folder, path, session.separator) ? undefined : { account: account.id, path };
  }

  private async transfer(
    { session, folder }: OpenFolder,
    uids: readonly number[],
    to: MailFolder,
    how: 'move' | 'copy',
  ): Promise<NewIds> {
    if (to.path === '') throw MailErrors.holdsNoMessages(toMailFolderId(to));
    const knowsIds = session.can('UIDPLUS');
    const messageIds = knowsIds ? new Map<number, string>() : await readMessageIds(session, uids);
    try {
      const ids = await session[how](uids, to.path);
      if (knowsIds) return ids;
    } catch (error) {
      const code = findRefusal(error)?.code;
      // The refused command names the folder that the mails go to, not the selected one.
      if (code === 'NONEXISTENT' || code === 'TRYCREATE' || code === 'CANNOT')
        throw ImapErrors.folderNotFound(toMailFolderId(to)).with({ cause: error });
      throw error;
    }
    await selectFolder(session, to);
    const ids = new Map<number, number>();
    for (const [uid, messageId] of messageIds) {
      const found = await session.listUids([atom('HEADER'), text('Message-ID'), text(messageId)]);
      if (found.length > 0) ids.set(uid, found[found.length - 1]!);
    }
    await selectFolder(session, folder);
    return ids;
  }

  private async moveToAccount(
    request: UserRequest,
    open: OpenFolder,
    uids: readonly number[],
    to: MailFolder,
  ): Promise<NewIds> {
    const validity = open.session.mailbox.uidValidity;
    const ids = new Map<number, number>();
    try {
      await this.copyToAccount(request, open, uids, to, async (uid, id) => {
        await this.removeMoved(request, open, uid, validity);
        ids.set(uid, id);
      });
    } catch (error) {
      if (ids.size === 0) throw error;
      throw MailErrors.notAllMoved(ids.size, uids.length, toMailFolderId(open.folder)).with({ cause: error });
    }
    return ids;
  }

  /** Removes a mail that is in another account by now; where the connection was lost meanwhile, over a new one. */
  private async removeMoved(
    request: UserRequest,
    { session, folder }: OpenFolder,
    uid: number,
    validity: bigint,
  ): Promise<void> {
    try {
      await session.remove([uid]);
    } catch (error) {
      if (findRefusal(error)) throw error;
      const use = { repeatable: true, validity };
      await this.mailboxes.useFolder(request, folder, use, (again) => again.session.remove([uid]));
    }
  }

  /**
   * Copies mails one by one through this service; flags and dates are kept.
   * @param onCopied hears of each copy once its server has it; 0 in place of an id that the server does not tell
   */
  private async copyToAccount(
    request: UserRequest,
    { session, folder }: OpenFolder,
    uids: readonly number[],
    to: MailFolder,
    onCopied: (uid: number, id: number) => Promise<void> | void,
  ): Promise<void> {
    for (const uid of uids) {
      const [message] = await session.fetch([uid], { uid: true, flags: true, internalDate: true, source: true });
      if (!message?.source) {
        // Another client took it away: of many mails, the others are asked for all the same.
        if (uids.length === 1) throw MailErrors.notFound(String(uid), toMailFolderId(folder));
        continue;
      }
      const { source, internalDate } = message;
      const flags = [...(message.flags ?? [])].filter((flag) => flag !== '\\Recent');
      const id = await this.mailboxes.useFolder(request, to, {}, ({ session: target }) =>
        target.append(to.path, source, flags, internalDate ? new Date(internalDate) : undefined),
      );
      await onCopied(uid, id ?? 0);
    }
  }
}

/** A change in which the flag goes with the colour. */
function withImplicitFlag(body: MailUpdateBody): MailUpdateBody {
  const { color_label: color, flags = 0, value = false, set_flags = 0, clear_flags = 0 } = body;
  const { flagged } = MAIL_FLAGS;
  if (color == null) return ((value ? 0 : flags) | clear_flags) & flagged ? { ...body, color_label: 0 } : body;
  return color > 0
    ? { ...body, set_flags: set_flags | flagged, clear_flags: clear_flags & ~flagged }
    : { ...body, clear_flags: clear_flags | flagged };
}

async function readMessageIds(session: ImapSession, uids: readonly number[]): Promise<Map<number, string>> {
  const found = await session.fetch(uids, { uid: true, headers: ['Message-ID'] });
  return new Map(
    found.flatMap(({ uid, headers }) => {
      const id = new MailHeaders(headers).getRaw('Message-ID');
      return id ? [[uid, id] as const] : [];
    }),
  );
}
