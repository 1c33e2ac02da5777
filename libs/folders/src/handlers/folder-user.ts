import {
  FolderErrors,
  RequestErrors,
  type FolderModule,
  type ServicePrincipal,
  type UserPrincipal,
} from '@groupware/contracts';

/** The user on whose behalf a service asks about folders. */
export function askingUser(principal: ServicePrincipal): UserPrincipal {
  if (!principal.user) throw RequestErrors.badRequest('a question about folders needs a user');
  return principal.user;
}

/** True when the user may use the module; its capability bears the same name. */
export const mayUse = (user: UserPrincipal, module: FolderModule): boolean => user.capabilities.includes(module);

/** The same user, who must be allowed to use the module (FLD-0002). */
export function userOf(principal: ServicePrincipal, module: FolderModule): UserPrincipal {
  const user = askingUser(principal);
  if (!mayUse(user, module)) throw FolderErrors.noModuleAccess(module, user.userId);
  return user;
}
