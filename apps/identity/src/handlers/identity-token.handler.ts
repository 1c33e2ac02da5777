import { JUMP_SYSTEMS, jump, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Cascade } from '../configuration/cascade';
import { LoginTokens } from '../authentication/login-tokens';

/** Creates a token for a registered system, which redeems it like any other login token. */
@Handles(jump.identityToken)
export class IdentityTokenHandler implements Handler<typeof jump.identityToken> {
  constructor(
    private readonly tokens: LoginTokens,
    private readonly cascade: Cascade,
  ) {}

  async handle({ principal, query }: CallOf<typeof jump.identityToken>) {
    const systems = this.cascade
      .value(JUMP_SYSTEMS)
      .split(',')
      .map((name) => name.trim());
    if (query.system === '' || !systems.includes(query.system))
      throw RequestErrors.badParameter('system', query.system);
    return { token: await this.tokens.acquired.issueToken({ sessionId: principal.sessionId }) };
  }
}
