import { authentication } from '@groupware/contracts';
import type { Caller } from '@groupware/messaging';
import type { UserCheck } from '../edge/ports';

/** Asks the identity service who a user without session is. */
export function userCheck(caller: Pick<Caller, 'call'>): UserCheck {
  return async ({ login, password }, { scopes, remoteAddress, deadline, requestId }) => {
    const { accepted, principal } = await caller.call(authentication.prove, {
      principal: { kind: 'internal', service: 'gateway', contextId: 0 },
      query: { login, password, remoteAddress, scopes: [...scopes] },
      deadline,
      requestId,
    });
    return accepted ? principal : undefined;
  };
}
