import { AppPasswordErrors } from '../app-passwords';
import { opensToApp, type Operation, type UserPrincipal } from '../kit';
import { MultifactorErrors } from '../multifactor';
import { RequestErrors } from './edge.errors';

/**
 * Checks what a session may do at all.
 * @throws SVL-0016 for a guest where guests may not go, MFA-0001 while the second factor is to come, ASP-0001 outside the scopes of an application password, SVL-0016 or
 * what the operation declares when the user lacks its capability
 */
export function requirePermission(operation: Operation, principal: UserPrincipal): void {
  if (principal.guest && !operation.guests) throw RequestErrors.noModulePermission(operation.module);
  if (principal.secondFactorPending && !operation.beforeSecondFactor) throw MultifactorErrors.required();
  if (principal.appScopes && !opensToApp(operation, principal.appScopes))
    throw AppPasswordErrors.outsideScope(operation.appScopes?.[0] ?? operation.module);
  const { capability, withoutCapability } = operation;
  if (capability !== undefined && !principal.capabilities.includes(capability))
    throw withoutCapability?.(capability) ?? RequestErrors.noModulePermission(operation.module);
}
