import {
  FOLDER_RIGHTS,
  recordCheck,
  folderCapability,
  FolderErrors,
  RequestErrors,
  type FolderModule,
  type ServicePrincipal,
  type UserPrincipal,
} from '@groupware/contracts';

/** The user on whose behalf a service asks about folders. */
export function requireActingUser(principal: ServicePrincipal): UserPrincipal {
  if (!principal.user) throw RequestErrors.badRequest('a question about folders needs a user');
  return principal.user;
}

/** True when the user may use the module; */
export function canUseModule(user: UserPrincipal, module: FolderModule): boolean {
  recordCheck(FOLDER_RIGHTS.useModule);
  return user.capabilities.includes(folderCapability(module));
}

/** The same user, who must be allowed to use the module (FLD-0002). */
export function requireModuleUser(principal: ServicePrincipal, module: FolderModule): UserPrincipal {
  const user = requireActingUser(principal);
  if (!canUseModule(user, module)) throw FolderErrors.noModuleAccess(module, user.userId);
  return user;
}
