import { contacts, findFormJson, reply, type CallOf, type ContactId, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ContactEditor } from '../contacts/contact-editor';
import { PictureInput } from '../pictures/picture-input';

/** `new` with a form: a contact and its picture. */
@Handles(contacts.newWithImage)
export class NewWithImageHandler implements Handler<typeof contacts.newWithImage> {
  constructor(
    private readonly editor: ContactEditor,
    private readonly input: PictureInput,
  ) {}

  async handle({ principal, body, files }: CallOf<typeof contacts.newWithImage>) {
    const form = await this.input.fromForm(findFormJson(body), files);
    const { id, stamp } = await this.editor.create(principal, form.body, form.picture);
    return reply<ContactId>({ id: String(id) }, { timestamp: stamp });
  }
}
