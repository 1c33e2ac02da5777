import { login, reply, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { LoginFlow } from '../login/login-flow';
import { LoginTokens } from '../login/login-tokens';
import { RampUp } from '../login/ramp-up';
import { loginObject } from '../login/session-opener';

/** Parameters may stand in the body or in the URL; the body wins. */
export function merged<T extends object>(query: T, body: object | undefined): T {
  const given = Object.entries(body ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return { ...query, ...Object.fromEntries(given) };
}

/** Opens a session by login name and password. */
@Handles(login.login)
export class LoginHandler implements Handler<typeof login.login> {
  constructor(
    private readonly flow: LoginFlow,
    private readonly tokens: LoginTokens,
    private readonly rampUp: RampUp,
  ) {}

  async handle({ query, body, edge }: CallOf<typeof login.login>) {
    const parameters = merged(query, body);
    const password = body?.password;
    if (!parameters.name) throw RequestErrors.missingParameter('name');
    if (!password) throw RequestErrors.missingParameter('password');
    const { session, cookies } = await this.flow.byPassword(parameters.name, password, parameters, edge!);
    const answer = { ...loginObject(session), ...(await this.tokens.randomFor(session.id)) };
    const rampup = parameters.rampup ? { rampup: await this.rampUp.of(session.principal) } : {};
    return reply({ ...answer, ...rampup }, { cookies });
  }
}
