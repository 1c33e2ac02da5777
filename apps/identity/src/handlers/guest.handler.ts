import { login, reply, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestAccess } from '../guests/guest-access';
import { toGuestLoginObject } from '../authentication/session-opener';
import { mergeParameters } from './login.handler';

/** Opens a session of a named guest, who may choose a password with it. */
@Handles(login.guest)
export class GuestLoginHandler implements Handler<typeof login.guest> {
  constructor(private readonly access: GuestAccess) {}

  async handle({ query, body, edge }: CallOf<typeof login.guest>) {
    const parameters = mergeParameters(query, body);
    const { share, name } = { ...parameters, name: body.name };
    if (!share) throw RequestErrors.missingParameter('share');
    const proof = {
      name: name ?? undefined,
      password: body.password ?? undefined,
      confirm: body.confirm ?? undefined,
    };
    const { session, cookies, place } = await this.access.loginByPassword(share, proof, parameters, edge!);
    return reply(toGuestLoginObject(session, place), { cookies });
  }
}
