import { contacts, findFormJson, reply, type CallOf, type ContactId, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ContactEditor } from '../contacts/contact-editor';
import { PictureInput } from '../pictures/picture-input';

/** `update` with a form: other content, and another picture. */
@Handles(contacts.updateWithImage)
export class UpdateWithImageHandler implements Handler<typeof contacts.updateWithImage> {
  constructor(
    private readonly editor: ContactEditor,
    private readonly input: PictureInput,
  ) {}

  async handle({ principal, query, body, files }: CallOf<typeof contacts.updateWithImage>) {
    const form = await this.input.fromForm(findFormJson(body), files);
    const { id, stamp } = await this.editor.update(principal, query, form.body, form.picture);
    return reply<ContactId>({ id: String(id) }, { timestamp: stamp });
  }
}
