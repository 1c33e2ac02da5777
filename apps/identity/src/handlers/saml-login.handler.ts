import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { replyBadRequest, replyForbidden } from '../authentication/browser-replies';

/** Refuses all reservations: no single sign-on is connected. */
@Handles(login.samlLogin)
export class SamlLoginHandler implements Handler<typeof login.samlLogin> {
  async handle({ query }: CallOf<typeof login.samlLogin>) {
    return query.token ? replyForbidden() : replyBadRequest();
  }
}
