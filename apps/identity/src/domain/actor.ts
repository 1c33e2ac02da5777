import type { AdminPrincipal } from '@groupware/contracts';

/** Author of a change. */
export interface Actor {
  /** For the audit log. */
  readonly name: string;
  /** Whether errors may name objects of other contexts. */
  readonly seesAllContexts: boolean;
  /** The user, if it is one of the context. */
  readonly userId: number | null;
}

/** The actor of a REST call. */
export const toActor = (principal: AdminPrincipal): Actor => ({
  name: `${principal.kind}:${principal.login}`,
  seesAllContexts: principal.kind === 'master',
  userId: principal.userId ?? null,
});

/** The actor of automatic changes. */
export const SYSTEM: Actor = { name: 'system', seesAllContexts: true, userId: null };
