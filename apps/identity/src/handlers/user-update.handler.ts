import { reply, user, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { PersonEditor } from '../provisioning/person-editor';

/** Changes the data of a person, locale and time zone, or removes the picture. */
@Handles(user.update)
export class UserUpdateHandler implements Handler<typeof user.update> {
  constructor(private readonly people: PersonEditor) {}

  async handle({ principal, query, body }: CallOf<typeof user.update>) {
    const image = body.image1 === undefined ? undefined : null;
    return reply(undefined, { timestamp: await this.people.changePerson(principal, query, body, image) });
  }
}
