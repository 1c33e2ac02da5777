import { mailCategories, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MailCategories } from '../categories/mail-categories';

/** `mail/categories?action=unread`: numbers of unread mails by category. */
@Handles(mailCategories.unread)
export class CategoriesUnreadHandler implements Handler<typeof mailCategories.unread> {
  constructor(private readonly categories: MailCategories) {}

  handle(call: CallOf<typeof mailCategories.unread>): Promise<Record<string, number>> {
    return this.categories.countUnread(call, call.query.category_ids);
  }
}
