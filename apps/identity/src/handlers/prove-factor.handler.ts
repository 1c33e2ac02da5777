import { authentication, type CallOf, type Handler, type UserProof } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ActiveUsers } from '../directory/active-users';
import { SecondFactors } from '../multifactor/second-factors';

/** Authenticates a user without session by the code of a second factor, after the password. */
@Handles(authentication.proveFactor)
export class ProveFactorHandler implements Handler<typeof authentication.proveFactor> {
  constructor(
    private readonly users: ActiveUsers,
    private readonly factors: SecondFactors,
  ) {}

  async handle({ principal: { contextId }, query }: CallOf<typeof authentication.proveFactor>): Promise<UserProof> {
    const { userId, code, remoteAddress } = query;
    const draft = await this.users.findPrincipal(contextId, userId);
    if (!draft) return { accepted: false };
    const principal = { ...draft, sessionId: '' };
    // Of the request the check of a code needs the address alone.
    const edge = { remoteAddress, userAgent: '', secure: false, host: '', cookies: {}, headers: {} };
    await this.factors.requireCode(principal, code, edge);
    return { accepted: true, principal };
  }
}
