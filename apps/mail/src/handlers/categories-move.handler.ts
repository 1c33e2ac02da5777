import { mailCategories, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { isCategorized, MailCategories } from '../categories/mail-categories';
import { parseMailId } from '../domain/mail-folder';

/** `mail/categories?action=move`: sorts mails into a category. */
@Handles(mailCategories.move)
export class CategoriesMoveHandler implements Handler<typeof mailCategories.move> {
  constructor(private readonly categories: MailCategories) {}

  async handle(call: CallOf<typeof mailCategories.move>): Promise<null> {
    const uids = call.body.flatMap(({ id, folder_id }) => (isCategorized(folder_id) ? (parseMailId(id) ?? []) : []));
    await this.categories.moveMails(call, call.query.category_id, uids);
    return null;
  }
}
