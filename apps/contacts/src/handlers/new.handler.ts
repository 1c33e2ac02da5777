import { contacts, reply, type CallOf, type ContactId, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ContactEditor } from '../contacts/contact-editor';
import { PictureInput } from '../pictures/picture-input';

/** `new`: a contact or a distribution list. */
@Handles(contacts.new)
export class NewHandler implements Handler<typeof contacts.new> {
  constructor(
    private readonly editor: ContactEditor,
    private readonly input: PictureInput,
  ) {}

  async handle({ principal, body }: CallOf<typeof contacts.new>) {
    const { id, stamp } = await this.editor.create(principal, body, await this.input.fromBody(body));
    return reply<ContactId>({ id: String(id) }, { timestamp: stamp });
  }
}
