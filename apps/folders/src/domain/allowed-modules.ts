import { FOLDER_MODULES, FolderErrors, type FolderModule, type FolderModulesQuery } from '@groupware/contracts';

/** Finds the module of a name or number; undefined for modules without folders here. */
export function findModule(text: string): FolderModule | undefined {
  const name = text.trim().toLowerCase();
  return (Object.keys(FOLDER_MODULES) as FolderModule[]).find(
    (module) => module === name || String(FOLDER_MODULES[module]) === name,
  );
}

/** Parses a comma-separated list of modules; undefined for all. Modules without folders here are ignored. */
export function parseAllowedModules(list: string | undefined): ReadonlySet<string> | undefined {
  if (!list) return undefined;
  return new Set(list.split(',').flatMap((text) => findModule(text) ?? []));
}

/** Whether parameters leave a module out; a list of nothing but modules without folders here leaves out none. */
export function isLeftOut(module: string, { allowed_modules }: Partial<FolderModulesQuery>): boolean {
  const allowed = parseAllowedModules(allowed_modules);
  return allowed !== undefined && allowed.size > 0 && !allowed.has(module);
}

/** Known content types without folders here. */
const ELSEWHERE = new Set(['mail', 'event', 'messaging', 'file', 'system', 'unbound', '4', '5', '7', '13', '14']);

/** Parses a content type; undefined for one without folders here. @throws FLD-1018 for unknown ones */
export function parseContentType(text: string): FolderModule | undefined {
  const module = findModule(text);
  if (!module && !ELSEWHERE.has(text.trim().toLowerCase())) throw FolderErrors.unknownContentType(text);
  return module;
}
