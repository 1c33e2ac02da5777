import { login, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

const BAD_REQUEST = 400;
const FORBIDDEN = 403;

/** Takes no reservation: no single sign-on is connected that could have made one. */
@Handles(login.oidcLogin)
export class OidcLoginHandler implements Handler<typeof login.oidcLogin> {
  async handle({ query }: CallOf<typeof login.oidcLogin>) {
    return reply(undefined, { status: query.sessionToken ? FORBIDDEN : BAD_REQUEST });
  }
}
