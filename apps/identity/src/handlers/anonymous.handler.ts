import { login, reply, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestAccess } from '../guests/guest-access';
import { toGuestLoginObject } from '../authentication/session-opener';
import { mergeParameters } from './login.handler';

/** Opens a session by the token of a link, and its pin where it has one. */
@Handles(login.anonymous)
export class AnonymousLoginHandler implements Handler<typeof login.anonymous> {
  constructor(private readonly access: GuestAccess) {}

  async handle({ query, body, edge }: CallOf<typeof login.anonymous>) {
    const parameters = mergeParameters(query, body);
    if (!parameters.share) throw RequestErrors.missingParameter('share');
    const { session, cookies, place } = await this.access.loginByPin(
      parameters.share,
      body.password,
      parameters,
      edge!,
    );
    return reply(toGuestLoginObject(session, place), { cookies });
  }
}
