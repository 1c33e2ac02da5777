import { contactImage, ImageErrors, type CallOf, type Handler } from '@groupware/contracts';
import { toPictureReply } from '@groupware/pictures';
import { Handles } from '@groupware/service-kit';
import { PictureLookup } from '../pictures/picture-lookup';

/** Policy of addresses with the stamp of the picture, whose content never changes. */
const FOREVER = 'private, max-age=31536000, immutable';
const ASK_AGAIN = 'private, no-cache';

/** `image/contact/picture`: whatever is wrong, there is no picture. */
@Handles(contactImage.picture)
export class ContactImageHandler implements Handler<typeof contactImage.picture> {
  constructor(private readonly pictures: PictureLookup) {}

  async handle({ principal, query }: CallOf<typeof contactImage.picture>) {
    const found = await this.pictures.findPicture(principal, { contact: query, addresses: [] });
    if (!found) throw ImageErrors.notFound();
    const cachePolicy = query.timestamp ? FOREVER : ASK_AGAIN;
    return toPictureReply(await this.pictures.show(found, query), { cachePolicy });
  }
}
