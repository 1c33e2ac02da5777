import {
  MAIL_CATEGORIES,
  MAIL_CATEGORY_IDS,
  MAIL_CATEGORY_PREFIX,
  MailCategoryErrors,
  MailErrors,
  USER_MAIL_CATEGORY_IDS,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { atom, text, type ImapSession, type ImapToken } from '@groupware/mail-access';
import { MailHeaders } from '@groupware/mail-content';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { Mailboxes } from '../accounts/mailboxes';
import { GENERAL, readCategories, toCategoryCriteria, type MailCategory } from '../domain/mail-category';
import { parseMailFolder, toMailFolderId } from '../domain/mail-folder';

/** The folder that has categories. */
const INBOX = parseMailFolder('default0/INBOX');
export const isCategorized = (folderId: string): boolean =>
  toMailFolderId(parseMailFolder(folderId)) === toMailFolderId(INBOX);

/** Categories of the mails in the inbox of the primary account. */
@Injectable()
export class MailCategories {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly properties: Properties,
  ) {}

  /** Categories of a user; undefined where they are switched off. */
  async findCategories(user: UserPrincipal): Promise<readonly MailCategory[] | undefined> {
    if (!(await this.properties.get(MAIL_CATEGORIES, user))) return undefined;
    const [system, own] = await Promise.all([
      this.properties.get(MAIL_CATEGORY_IDS, user),
      this.properties.get(USER_MAIL_CATEGORY_IDS, user),
    ]);
    return readCategories(system, own, (key) => this.properties.serverText(`${MAIL_CATEGORY_PREFIX}${key}`));
  }

  /** @throws MAIL_CATEGORIES-0001 where they are switched off */
  async requireCategories(user: UserPrincipal): Promise<readonly MailCategory[]> {
    const categories = await this.findCategories(user);
    if (!categories) throw MailCategoryErrors.disabled();
    return categories;
  }

  /** Criteria of lists of one category; undefined where none is asked for or they are switched off. @throws MSG-0103 */
  async findCriteria(user: UserPrincipal, id: string | undefined): Promise<readonly ImapToken[] | undefined> {
    if (id === undefined || id === '') return undefined;
    const categories = await this.findCategories(user);
    if (!categories) return undefined;
    const criteria = toCategoryCriteria(id, categories);
    if (!criteria) throw MailErrors.badValue(id);
    return criteria;
  }

  /** Numbers of unread mails by category. */
  async countUnread(request: UserRequest, ids: readonly string[] | undefined): Promise<Record<string, number>> {
    const categories = await this.requireCategories(request.principal);
    const wanted = ids && ids.length > 0 ? ids : [...categories.map(({ id }) => id), GENERAL];
    return this.mailboxes.useFolder(request, INBOX, { repeatable: true }, async ({ session }) => {
      const numbers: Record<string, number> = {};
      for (const id of wanted) {
        const criteria = toCategoryCriteria(id, categories);
        if (criteria) numbers[id] = (await session.listUids([atom('UNSEEN'), ...criteria])).length;
      }
      return numbers;
    });
  }

  /** Sorts mails of the inbox into a category. @throws MAIL_CATEGORIES-0002 */
  async moveMails(request: UserRequest, id: string, uids: readonly number[]): Promise<void> {
    const { categories, category } = await this.requireCategory(request.principal, id);
    if (uids.length === 0) return;
    await this.mailboxes.useFolder(request, INBOX, {}, ({ session }) => assign(session, uids, categories, category));
  }

  /** Sorts the mails of senders that are in the inbox into a category; none goes to what is in no category. */
  async moveMailsOf(request: UserRequest, id: string, senders: readonly string[]): Promise<void> {
    const { categories, category } = await this.requireCategory(request.principal, id);
    if (!category) return;
    await this.mailboxes.useFolder(request, INBOX, {}, async ({ session }) => {
      for (const sender of senders) {
        // Servers find parts of addresses.
        const candidates = await session.listUids([atom('FROM'), text(sender)]);
        const found = await session.fetch(candidates, { uid: true, headers: ['From'] });
        const uids = found.flatMap(({ uid, headers }) => {
          const authors = new MailHeaders(headers).getAddresses('From');
          return authors.some(([, address]) => address.toLowerCase() === sender) ? [uid] : [];
        });
        await assign(session, uids, categories, category);
      }
    });
  }

  /** @returns no category for what is in none @throws MAIL_CATEGORIES-0001, MAIL_CATEGORIES-0002 */
  async requireCategory(
    user: UserPrincipal,
    id: string,
  ): Promise<{ readonly categories: readonly MailCategory[]; readonly category: MailCategory | undefined }> {
    const categories = await this.requireCategories(user);
    const category = categories.find((each) => each.id === id);
    if (!category && id !== GENERAL) throw MailCategoryErrors.unknownCategory(id);
    return { categories, category };
  }
}

async function assign(
  session: ImapSession,
  uids: readonly number[],
  categories: readonly MailCategory[],
  category: MailCategory | undefined,
): Promise<void> {
  if (uids.length === 0) return;
  const others = categories.flatMap(({ flag }) => (flag === category?.flag ? [] : [flag]));
  await session.store(uids, 'remove', others);
  if (category) await session.store(uids, 'add', [category.flag]);
}
