import type { AppScope, UserPrincipal } from '../kit';
import { AppPasswordErrors } from './app-passwords.errors';

/** Reading or changing. */
export type AppAccessMode = 'read' | 'write';

/** Names that scopes have for the objects and folders of a module. */
const STEMS = { calendar: 'calendar', contacts: 'contacts', tasks: 'tasks', infostore: 'files' } as const;

const isKnown = (module: string): module is keyof typeof STEMS => Object.hasOwn(STEMS, module);

/** True when a principal may reach objects of a module: users may, applications with the scope of the module. */
export function opensModule(
  { appScopes }: Pick<UserPrincipal, 'appScopes'>,
  module: string,
  mode: AppAccessMode,
): boolean {
  const scope = scopeOfModule(module, mode);
  return appScopes === undefined || (scope !== undefined && appScopes.includes(scope));
}

/**
 * Checks an operation that reaches objects of several modules (folders, attachments) once it is known of which.
 * @throws ASP-0001 for an application without the scope of the module
 */
export function requireModuleScope(
  principal: Pick<UserPrincipal, 'appScopes'>,
  module: string,
  mode: AppAccessMode,
): void {
  if (!opensModule(principal, module, mode))
    throw AppPasswordErrors.outsideScope(scopeOfModule(module, mode) ?? module);
}

/** The scopes of all modules for one mode: an operation that reaches any of them asks for one, then for the right one. */
export const moduleScopes = (mode: AppAccessMode): AppScope[] =>
  Object.keys(STEMS).flatMap((module) => scopeOfModule(module, mode) ?? []);

/**
 * The scopes of an application that users granted access (OAuth): those of a module open its folders, too. Which module a folder
 * is of is checked by {@link requireModuleScope}.
 */
export function withFolderScopes(scopes: readonly string[]): string[] {
  const modes = (['read', 'write'] as const).filter((mode) =>
    moduleScopes(mode).some((scope) => scopes.includes(scope)),
  );
  return [...new Set([...scopes, ...modes.map((mode) => `${mode}_folders`)])];
}

function scopeOfModule(module: string, mode: AppAccessMode): AppScope | undefined {
  return isKnown(module) ? `${mode}_${STEMS[module]}` : undefined;
}
