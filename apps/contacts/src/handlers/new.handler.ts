import { contacts, reply, type CallOf, type ContactId, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ContactEditor } from '../contacts/contact-editor';

/** `new`: a contact or a distribution list. */
@Handles(contacts.new)
export class NewHandler implements Handler<typeof contacts.new> {
  constructor(private readonly editor: ContactEditor) {}

  async handle({ principal, body }: CallOf<typeof contacts.new>) {
    const { id, stamp } = await this.editor.create(principal, body);
    return reply<ContactId>({ id: String(id) }, { timestamp: stamp });
  }
}
