import { atom, type ImapToken } from '@groupware/mail-access';

/** Name for mails in no category. */
export const GENERAL = 'general';

/** A category: mails of it have its keyword. */
export interface MailCategory {
  readonly id: string;
  readonly flag: string;
  /** One that users name themselves: its mails are in no category of the system. */
  readonly isOfUser: boolean;
}

/** An atom of IMAP that may be a keyword (RFC 3501, section 9). */
const KEYWORD = /^[!#$&'+,\-./0-9:;<=>?@A-Z^_`a-z|~]{1,100}$/;
const ID = /^[\w-]{1,100}$/;

/** Reads the categories that an operator declares. @param settingOf what is said about a category, by `<category>.<name>` */
export function readCategories(
  systemIds: string,
  userIds: string,
  settingOf: (key: string) => string | undefined,
): MailCategory[] {
  const read = (ids: string, isOfUser: boolean): MailCategory[] =>
    ids
      .split(',')
      .map((id) => id.trim())
      .flatMap((id) => {
        const flag = settingOf(`${id}.flag`)?.trim() ?? '';
        const isLeftOut = settingOf(`${id}.active`) === 'false' && settingOf(`${id}.force`) !== 'true';
        return id === GENERAL || !ID.test(id) || !KEYWORD.test(flag) || isLeftOut ? [] : [{ id, flag, isOfUser }];
      });
  const found = new Map<string, MailCategory>();
  for (const category of [...read(systemIds, false), ...read(userIds, true)])
    if (!found.has(category.id)) found.set(category.id, category);
  return [...found.values()];
}

/** Criteria of the mails of a category, or of those in none; undefined where there is no such category. */
export function toCategoryCriteria(id: string, categories: readonly MailCategory[]): ImapToken[] | undefined {
  const without = (others: readonly MailCategory[]) => others.flatMap(({ flag }) => [atom('UNKEYWORD'), atom(flag)]);
  if (id === GENERAL) return categories.length === 0 ? [atom('ALL')] : without(categories);
  const category = categories.find((each) => each.id === id);
  if (!category) return undefined;
  const own = [atom('KEYWORD'), atom(category.flag)];
  return category.isOfUser ? own : [...own, ...without(categories.filter(({ isOfUser }) => isOfUser))];
}
