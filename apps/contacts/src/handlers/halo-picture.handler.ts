import { haloPicture, SYSTEM_FOLDERS, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { PictureLookup } from '../pictures/picture-lookup';

/** `halo/contact/picture`: as `contacts/picture`, by the names that older clients use. */
@Handles(haloPicture.picture)
export class HaloPictureHandler implements Handler<typeof haloPicture.picture> {
  constructor(private readonly pictures: PictureLookup) {}

  handle({ principal, query }: CallOf<typeof haloPicture.picture>) {
    const { internal_userid, userid, user_id, id, email, email1, email2, email3 } = query;
    const folder = query.folder ?? String(SYSTEM_FOLDERS.globalAddressBook);
    const contact = id === undefined ? undefined : { id, folder };
    const addresses = [email, email1, email2, email3];
    return this.pictures.answer(principal, { userId: internal_userid ?? userid ?? user_id, contact, addresses }, query);
  }
}
