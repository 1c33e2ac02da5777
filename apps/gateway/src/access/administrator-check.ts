import { authentication } from '@groupware/contracts';
import type { Caller } from '@groupware/messaging';
import type { AdministratorCheck } from '../edge/ports';

/** Asks the identity service whether credentials are those of a master, of a reseller or of a context's administrator. */
export function administratorCheck(caller: Pick<Caller, 'call'>): AdministratorCheck {
  return async ({ login, password }, { contextId, contextAdmin, remoteAddress, deadline, requestId }) => {
    const { accepted, userId, master, reseller, responsible } = await caller.call(authentication.administrator, {
      principal: { kind: 'internal', service: 'gateway', contextId: contextId ?? 0 },
      query: { ...(contextId === undefined ? {} : { contextId }), contextAdmin, login, password, remoteAddress },
      deadline,
      requestId,
    });
    if (!accepted) return undefined;
    if (master) return { principal: { kind: 'master', login }, isResponsible: true };
    if (reseller !== undefined)
      return { principal: { kind: 'reseller', login, reseller }, isResponsible: responsible === true };
    const isResponsible = contextAdmin && contextId !== undefined && userId !== undefined;
    return { principal: { kind: 'context-admin', login, contextId, userId }, isResponsible };
  };
}
