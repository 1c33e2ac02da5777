import { authentication, type AdminPrincipal } from '@groupware/contracts';
import type { Caller } from '@groupware/messaging';
import type { ContextAdminCheck } from '../edge/ports';

/** Asks the identity service whether credentials are those of a context's administrator. */
export function contextAdminCheck(caller: Pick<Caller, 'call'>): ContextAdminCheck {
  return async (contextId, { login, password }, { remoteAddress, deadline, requestId }) => {
    const { accepted, userId } = await caller.call(authentication.contextAdmin, {
      principal: { kind: 'internal', service: 'gateway', contextId },
      query: { contextId, login, password, remoteAddress },
      deadline,
      requestId,
    });
    const principal: AdminPrincipal = { kind: 'context-admin', login, contextId, userId };
    return accepted ? principal : undefined;
  };
}
