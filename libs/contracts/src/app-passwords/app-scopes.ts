import type { AppScope, UserPrincipal } from '../kit';
import { AppPasswordErrors } from './app-passwords.errors';

/** Reading or changing. */
export type AppAccessMode = 'read' | 'write';

/** Names that scopes have for the objects and folders of a module. */
const STEMS = { calendar: 'calendar', contacts: 'contacts', tasks: 'tasks', infostore: 'files', mail: 'mail' } as const;

/** A module whose objects have scopes. */
export type ScopedModule = keyof typeof STEMS;

const isKnown = (module: string): module is ScopedModule => Object.hasOwn(STEMS, module);

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
 * Checks an operation that reaches objects of several modules, such as attachments, once it is known of which.
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

/** True when a principal may reach folders of a module: who may change what is in them sees them, too. */
export const opensFolders = (
  principal: Pick<UserPrincipal, 'appScopes'>,
  module: string,
  mode: AppAccessMode,
): boolean => opensModule(principal, module, mode) || (mode === 'read' && opensModule(principal, module, 'write'));

/** Checks a call for a folder of a module. @throws ASP-0001 for an application without a scope of the module */
export function requireFolderScope(
  principal: Pick<UserPrincipal, 'appScopes'>,
  module: string,
  mode: AppAccessMode,
): void {
  if (!opensFolders(principal, module, mode)) requireModuleScope(principal, module, mode);
}

/** The scopes of modules for one mode: an operation that reaches any of them asks for one, then for the right one. */
export const moduleScopes = (modules: readonly ScopedModule[], mode: AppAccessMode): AppScope[] =>
  modules.map((module) => `${mode}_${STEMS[module]}` as const);

/** Scopes that users grant applications (OAuth) by names of their own, and what they stand for. */
export const GRANTED_SCOPES: Readonly<Record<string, readonly AppScope[]>> = {
  read_reminders: ['read_reminder'],
  write_reminders: ['write_reminder'],
  caldav: ['dav', 'read_caldav', 'write_caldav'],
  carddav: ['dav', 'read_carddav', 'write_carddav'],
};

/**
 * Resolves the scopes that users granted an application (OAuth): those of a module open its folders, too. Which module a folder is
 * of is checked by {@link requireFolderScope}.
 */
export function resolveGrantedScopes(granted: readonly string[]): string[] {
  const scopes = granted.flatMap((scope): readonly string[] =>
    Object.hasOwn(GRANTED_SCOPES, scope) ? GRANTED_SCOPES[scope]! : [scope],
  );
  const principal = { appScopes: scopes };
  const modes = (['read', 'write'] as const).filter((mode) =>
    Object.keys(STEMS).some((module) => opensFolders(principal, module, mode)),
  );
  return [...new Set([...scopes, ...modes.map((mode) => `${mode}_folders`)])];
}

function scopeOfModule(module: string, mode: AppAccessMode): AppScope | undefined {
  return isKnown(module) ? `${mode}_${STEMS[module]}` : undefined;
}
