import {
  MailCategoryErrors,
  mailFilter,
  type MailFilterPart,
  type MailFilterRule,
  type UserPrincipal,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Injectable } from '@nestjs/common';
import type { MailCategory } from '../domain/mail-category';

/** Tells rules of categories from others, which are listed without them. */
const FLAG = 'category';

/** A rule of a category: the senders whose mails get its keyword. */
interface CategoryRule {
  readonly id: number;
  readonly keyword: string;
  readonly senders: readonly string[];
}

/** The rules that sort mails to come into categories; they are among those of the mail filter. */
@Injectable()
export class CategoryRules {
  constructor(private readonly caller: Caller) {}

  /** @throws MAIL_CATEGORIES-0003 for users without mail filter */
  requireFilter({ capabilities }: UserPrincipal): void {
    if (!capabilities.includes('mailfilter')) throw MailCategoryErrors.noFilter();
  }

  /** Sorts the mails of senders into a category, and into no other; without one into none. */
  async sortSenders(
    user: UserPrincipal,
    categories: readonly MailCategory[],
    category: MailCategory | undefined,
    senders: readonly string[],
  ): Promise<void> {
    const keywords = new Set(categories.map(({ flag }) => flag));
    const listed = await this.caller.call(mailFilter.list, { principal: user, query: { flag: FLAG } });
    const rules = listed
      .flatMap((rule) => ('test' in rule ? toCategoryRule(rule) : []))
      .filter(({ keyword }) => keywords.has(keyword));
    const moved = new Set(senders);
    let isThere = false;
    for (const { id, keyword, senders: before } of rules) {
      const isOwn: boolean = keyword === category?.flag && !isThere;
      isThere ||= isOwn;
      const after = isOwn ? [...new Set([...before, ...senders])] : before.filter((each) => !moved.has(each));
      if (after.length === before.length) continue;
      if (after.length === 0) await this.caller.call(mailFilter.delete, { principal: user, query: {}, body: { id } });
      else await this.caller.call(mailFilter.update, { principal: user, query: {}, body: { id, test: testOf(after) } });
    }
    if (!category || isThere) return;
    const actioncmds = [{ id: 'addflags', flags: [category.flag] }];
    const body = { rulename: category.id, flags: [FLAG], position: 0, test: testOf(senders), actioncmds };
    await this.caller.call(mailFilter.new, { principal: user, query: {}, body });
  }
}

const testOf = (senders: readonly string[]): MailFilterPart => ({
  id: 'address',
  comparison: 'is',
  headers: ['from'],
  values: senders,
});

function toCategoryRule({ id, test, actioncmds }: MailFilterRule): CategoryRule[] {
  const flags = actioncmds.find((each) => each.id === 'addflags')?.['flags'];
  const keyword: unknown = Array.isArray(flags) ? flags[0] : undefined;
  const { values } = test;
  if (typeof keyword !== 'string' || !Array.isArray(values)) return [];
  return [{ id, keyword, senders: values.map(String) }];
}
