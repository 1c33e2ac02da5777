import { contacts, reply, type CallOf, type ContactId, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ContactEditor } from '../contacts/contact-editor';
import { PictureInput } from '../pictures/picture-input';

/** `update`: other content, another folder. */
@Handles(contacts.update)
export class UpdateHandler implements Handler<typeof contacts.update> {
  constructor(
    private readonly editor: ContactEditor,
    private readonly input: PictureInput,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof contacts.update>) {
    const picture = await this.input.fromBody(body);
    const { id, stamp } = await this.editor.update(principal, query, body, picture);
    return reply<ContactId>({ id: String(id) }, { timestamp: stamp });
  }
}
