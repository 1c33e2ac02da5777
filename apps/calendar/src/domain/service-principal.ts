import type { ServicePrincipal, UserPrincipal } from '@groupware/contracts';

/** The principal with which the calendar asks other services for a user. */
export const toServicePrincipal = (user: UserPrincipal): ServicePrincipal => ({
  kind: 'internal',
  service: 'calendar',
  contextId: user.contextId,
  user,
});
