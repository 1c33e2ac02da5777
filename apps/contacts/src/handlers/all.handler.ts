import { contacts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseContactFolderId } from '../folders/folder-access';
import { ContactView } from '../views/contact-view';

/** `all`: the contacts of a folder. */
@Handles(contacts.all)
export class AllHandler implements Handler<typeof contacts.all> {
  constructor(private readonly view: ContactView) {}

  handle({ principal, query }: CallOf<typeof contacts.all>) {
    return this.view.list(
      principal,
      query,
      query.folder === undefined ? undefined : parseContactFolderId(query.folder),
    );
  }
}
