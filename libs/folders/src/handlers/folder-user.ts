import { RequestErrors, type ServicePrincipal, type UserPrincipal } from '@groupware/contracts';

/** The user on whose behalf a service asks about folders. */
export function askingUser(principal: ServicePrincipal): UserPrincipal {
  if (!principal.user) throw RequestErrors.badRequest('a question about folders needs a user');
  return principal.user;
}
