import { mailCategories, MailCategoryErrors, MailErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { CategoryRules } from '../categories/category-rules';
import { MailCategories } from '../categories/mail-categories';

const ADDRESS = /^[^\s@"<>\\]{1,64}@[^\s@"<>\\]{1,253}$/;

/** `mail/categories?action=train`: sorts the mails of senders into a category, those to come as well. */
@Handles(mailCategories.train)
export class CategoriesTrainHandler implements Handler<typeof mailCategories.train> {
  constructor(
    private readonly categories: MailCategories,
    private readonly rules: CategoryRules,
  ) {}

  async handle(call: CallOf<typeof mailCategories.train>): Promise<null> {
    const { principal, query, body } = call;
    const { categories, category } = await this.categories.requireCategory(principal, query.category_id);
    const senders = [...new Set(body.from.map(toSender))];
    if (senders.length === 0) throw MailCategoryErrors.noSender();
    if (query.applyForFutureOnes) {
      this.rules.requireFilter(principal);
      await this.rules.sortSenders(principal, categories, category, senders);
    }
    if (query.applyForExisting) await this.categories.moveMailsOf(call, query.category_id, senders);
    return null;
  }
}

/** @throws MSG-1008 */
function toSender(text: string): string {
  const address = text.trim().toLowerCase();
  if (!ADDRESS.test(address)) throw MailErrors.invalidAddress(text);
  return address;
}
