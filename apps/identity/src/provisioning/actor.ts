import type { AdminPrincipal } from '@groupware/contracts';

/** Who makes a change, as far as it matters to the change. */
export interface Actor {
  /** For the audit log. */
  readonly name: string;
  /** Whether refusals may name things of other contexts. */
  readonly seesAllContexts: boolean;
  /** The user behind it, where there is one in the context. */
  readonly userId: number | null;
}

/** The actor of a REST call. */
export const actorOf = (principal: AdminPrincipal): Actor => ({
  name: `${principal.kind}:${principal.login}`,
  seesAllContexts: principal.kind === 'master',
  userId: principal.userId ?? null,
});

/** The actor of work the system does by itself. */
export const SYSTEM: Actor = { name: 'system', seesAllContexts: true, userId: null };
