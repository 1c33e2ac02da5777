import { login, reply, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { loginCookies, SessionStore } from '@groupware/sessions';
import { CredentialCheck } from '../login/credential-check';
import { loginObject, SessionOpener } from '../login/session-opener';

/** Parameters may stand in the body or in the URL; the body wins. */
export function merged<T extends object>(query: T, body: object | undefined): T {
  const given = Object.entries(body ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return { ...query, ...Object.fromEntries(given) };
}

/** Opens a session by login name and password. */
@Handles(login.login)
export class LoginHandler implements Handler<typeof login.login> {
  constructor(
    private readonly credentials: CredentialCheck,
    private readonly opener: SessionOpener,
    private readonly sessions: SessionStore,
  ) {}

  async handle({ query, body, edge }: CallOf<typeof login.login>) {
    const parameters = merged(query, body);
    const password = body?.password;
    if (!parameters.name) throw RequestErrors.missingParameter('name');
    if (!password) throw RequestErrors.missingParameter('password');
    const client = this.opener.client(parameters, edge!);
    const user = await this.credentials.prove(parameters.name, password, edge!.remoteAddress);
    const session = await this.opener.open(user, client, parameters, edge!);
    return reply(loginObject(session), {
      cookies: loginCookies(session, { userAgent: client.userAgent, headers: edge!.headers }, this.sessions.settings),
    });
  }
}
