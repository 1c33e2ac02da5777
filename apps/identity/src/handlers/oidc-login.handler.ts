import { login, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SignOnLogin } from '../authentication/sign-on-login';

/** Opens the session of a reservation that a single sign-on made. */
@Handles(login.oidcLogin)
export class OidcLoginHandler implements Handler<typeof login.oidcLogin> {
  constructor(private readonly signOn: SignOnLogin) {}

  handle({ query, edge }: CallOf<typeof login.oidcLogin>) {
    return this.signOn.redeem(query.sessionToken, 'oidc', query, edge!);
  }
}
