import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SignOnLogin } from '../authentication/sign-on-login';

/** Opens the session of a reservation that a single sign-on made. */
@Handles(login.samlLogin)
export class SamlLoginHandler implements Handler<typeof login.samlLogin> {
  constructor(private readonly signOn: SignOnLogin) {}

  handle({ query, edge }: CallOf<typeof login.samlLogin>) {
    return this.signOn.redeem(query.token, 'saml', query, edge!);
  }
}
