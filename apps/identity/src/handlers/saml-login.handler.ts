import { login, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

const BAD_REQUEST = 400;
const FORBIDDEN = 403;

/** Takes no reservation: no single sign-on is connected that could have made one. */
@Handles(login.samlLogin)
export class SamlLoginHandler implements Handler<typeof login.samlLogin> {
  async handle({ query }: CallOf<typeof login.samlLogin>) {
    return reply(undefined, { status: query.token ? FORBIDDEN : BAD_REQUEST });
  }
}
