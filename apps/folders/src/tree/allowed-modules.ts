import { FOLDER_MODULES, FolderErrors, type FolderModule } from '@groupware/contracts';

/** The module of a name or number; undefined for modules without folders here. */
export function moduleNamed(text: string): FolderModule | undefined {
  const name = text.trim().toLowerCase();
  return (Object.keys(FOLDER_MODULES) as FolderModule[]).find(
    (module) => module === name || String(FOLDER_MODULES[module]) === name,
  );
}

/** Modules of a comma list; undefined when all count. Names of modules without folders here are passed over. */
export function allowedModules(list: string | undefined): ReadonlySet<string> | undefined {
  if (!list) return undefined;
  return new Set(list.split(',').flatMap((text) => moduleNamed(text) ?? []));
}

/** Other content types that clients ask for and that have no folders here. */
const ELSEWHERE = new Set(['mail', 'event', 'messaging', 'file', 'system', 'unbound', '4', '5', '7', '13', '14']);

/** The module of a content type, undefined for one that has no folders here; FLD-1018 for unknown ones. */
export function contentType(text: string): FolderModule | undefined {
  const module = moduleNamed(text);
  if (!module && !ELSEWHERE.has(text.trim().toLowerCase())) throw FolderErrors.unknownContentType(text);
  return module;
}
