import { contactPicture, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { PictureLookup } from '../pictures/picture-lookup';

/** `contacts/picture?action=get`: never an error, so that nothing is learned of what may not be seen. */
@Handles(contactPicture.get)
export class PictureHandler implements Handler<typeof contactPicture.get> {
  constructor(private readonly pictures: PictureLookup) {}

  handle({ principal, query }: CallOf<typeof contactPicture.get>) {
    const { user_id: userId, contact_id: id, folder_id: folder, email } = query;
    const contact = id !== undefined && folder !== undefined ? { id, folder } : undefined;
    return this.pictures.answer(principal, { userId, contact, addresses: [email] }, query);
  }
}
