import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { badRequest, forbidden } from '../login/bare-replies';

/** Takes no reservation: no single sign-on is connected that could have made one. */
@Handles(login.samlLogin)
export class SamlLoginHandler implements Handler<typeof login.samlLogin> {
  async handle({ query }: CallOf<typeof login.samlLogin>) {
    return query.token ? forbidden() : badRequest();
  }
}
