import {
  FOLDER_MODULE_NAMES,
  FOLDER_MODULES,
  FolderErrors,
  parseFolderAddress,
  toCompositeId,
  toFeedFolderId,
  type CompositeModule,
  type FolderModule,
  type FolderModulesQuery,
  type OwnedFolderWritten,
} from '@groupware/contracts';

/** A kind of objects as clients name it. */
export interface ContentType {
  readonly module: FolderModule;
  /** Folders bear ids with an account: `cal://0/31`. */
  readonly isComposite: boolean;
}

/** Names of content types beside those of their modules. */
const ALIASES: Readonly<Record<string, ContentType>> = {
  event: { module: 'calendar', isComposite: true },
  addressbooks: { module: 'contacts', isComposite: true },
  contact: { module: 'contacts', isComposite: false },
  task: { module: 'tasks', isComposite: false },
};

/** Finds the content type of a name or number; undefined for those of which no module has folders. */
function findContentType(text: string): ContentType | undefined {
  const name = text.trim().toLowerCase();
  if (Object.hasOwn(ALIASES, name)) return ALIASES[name];
  const module = FOLDER_MODULE_NAMES.find(
    (candidate) => candidate === name || String(FOLDER_MODULES[candidate]) === name,
  );
  return module && { module, isComposite: false };
}

/** Finds the module of a name or number; undefined for modules without folders here. */
export const findModule = (text: string): FolderModule | undefined => findContentType(text)?.module;

const parseContentTypes = (list: string | undefined): ContentType[] =>
  list ? list.split(',').flatMap((text) => findContentType(text) ?? []) : [];

/** Parses a comma-separated list of modules; undefined for all. Modules without folders here are ignored. */
export const parseAllowedModules = (list: string | undefined): ReadonlySet<string> | undefined =>
  list ? new Set(parseContentTypes(list).map(({ module }) => module)) : undefined;

/** Whether parameters leave a module out; a list of nothing but modules without folders here leaves out none. */
export function isLeftOut(module: string, { allowed_modules }: Partial<FolderModulesQuery>): boolean {
  const allowed = parseAllowedModules(allowed_modules);
  return allowed !== undefined && allowed.size > 0 && !allowed.has(module);
}

/** Known content types without folders here. */
const ELSEWHERE = new Set(['messaging', 'file', 'system', 'unbound', '4', '5', '13', '14']);

/** Parses a content type; undefined for one without folders here. @throws FLD-1018 for unknown ones */
export function parseContentType(text: string): FolderModule | undefined {
  const module = findModule(text);
  if (!module && !ELSEWHERE.has(text.trim().toLowerCase())) throw FolderErrors.unknownContentType(text);
  return module;
}

/** Parameters by which a client tells which ids it knows. */
export interface IdFormParameters extends Partial<FolderModulesQuery> {
  readonly content_type?: string;
  readonly parent?: string;
  readonly id?: string;
}

/** How an answer names folders: with the account in modules that the client names so. */
export class IdForm {
  private constructor(private readonly composite: ReadonlySet<string>) {}

  /** The form of the ids and content types that a client sent. */
  static fromParameters({ allowed_modules, content_type, parent, id }: IdFormParameters): IdForm {
    const types = [...parseContentTypes(allowed_modules), ...parseContentTypes(content_type)];
    const addresses = [parent, id].flatMap((text) => (text && parseFolderAddress(text)) || []);
    return new IdForm(
      new Set([...types, ...addresses].filter(({ isComposite }) => isComposite).map(({ module }) => module)),
    );
  }

  /** Whether the client knows accounts of a module. */
  isComposite(module: string): boolean {
    return this.composite.has(module);
  }

  /** The id that the client gets for one of the tree. */
  toWireId(id: string): string {
    if (this.composite.size === 0) return id;
    const address = parseFolderAddress(id);
    return address && this.composite.has(address.module)
      ? toCompositeId(address.module as CompositeModule, address.key)
      : id;
  }

  /** The name that the client gets for a module: calendars with an account hold events. */
  toWireModule(module: string): string {
    return module === 'calendar' && this.composite.has(module) ? 'event' : module;
  }
}

/** The id within the tree of one that a client sent: without account. */
export function toTreeId(id: string): string {
  const address = parseFolderAddress(id);
  return address ? String(address.key) : id;
}

/** The id of a folder that was written, as the client gets it. */
export const toWrittenId = ({ id, isExternal }: OwnedFolderWritten, form: IdForm): string =>
  isExternal ? toFeedFolderId(id) : form.toWireId(String(id));
