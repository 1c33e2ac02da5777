import type { Selector } from '../kit';

/** Module numbers of folders (API page "Folders and permissions"); not those of attachments and reminders. */
export const FOLDER_MODULES = { tasks: 1, calendar: 2, contacts: 3, mail: 7, infostore: 8 } as const;

/** Module whose folders stand in the tree. */
export type FolderModule = keyof typeof FOLDER_MODULES;

/** Names of all modules with folders, in the order of their numbers. */
export const FOLDER_MODULE_NAMES = Object.keys(FOLDER_MODULES) as FolderModule[];

/** Capability that opens a module: it bears the same name, except for mail. */
export const folderCapability = (module: FolderModule): string => (module === 'mail' ? 'webmail' : module);

/** Id of a folder between modules: a number, the full name of a mail folder (`default0/INBOX`), or the id of a folder elsewhere. */
export type FolderKey = number | string;

/** Ids below this one are system folders. */
export const LOWEST_FOLDER_ID = 20;

/** System folders with fixed ids. */
export const SYSTEM_FOLDERS = {
  root: 0,
  private: 1,
  public: 2,
  shared: 3,
  globalAddressBook: 6,
  infostore: 9,
  userInfostore: 10,
  orphanedTasks: 11,
  orphanedCalendars: 12,
  orphanedContacts: 13,
  orphanedInfostore: 14,
  publicInfostore: 15,
} as const;

/** The modules of system folders that are no part of the tree itself. */
const OWNED_SYSTEM_FOLDERS: ReadonlyMap<number, FolderModule> = new Map([
  [SYSTEM_FOLDERS.globalAddressBook, 'contacts'],
  [SYSTEM_FOLDERS.infostore, 'infostore'],
  [SYSTEM_FOLDERS.userInfostore, 'infostore'],
  [SYSTEM_FOLDERS.publicInfostore, 'infostore'],
]);

const STRIDE = 16;

/**
 * The id of the n-th folder (n ≥ 2) of a module. Every module counts its own folders, and the id tells the module, so
 * folder calls reach their owner without a look-up and no two modules need to agree on the next number.
 */
export const folderIdOf = (module: FolderModule, counter: number): number => counter * STRIDE + FOLDER_MODULES[module];

/** The module that owns a folder id; undefined for the folders of the tree itself and foreign ids. Mail has no numbers. */
export function moduleOfFolder(id: number): FolderModule | undefined {
  if (!Number.isSafeInteger(id)) return undefined;
  if (id < LOWEST_FOLDER_ID) return OWNED_SYSTEM_FOLDERS.get(id);
  return FOLDER_MODULE_NAMES.find((name) => name !== 'mail' && FOLDER_MODULES[name] === id % STRIDE);
}

/** True for a number that no folder has: it is none of the tree itself, and of no module. */
export const isUnusedFolderId = (id: string): boolean =>
  /^\d{1,9}$/.test(id) && Number(id) >= LOWEST_FOLDER_ID && moduleOfFolder(Number(id)) === undefined;

/** A folder as clients name it. */
export interface FolderAddress {
  readonly module: FolderModule;
  readonly key: FolderKey;
  /** True for ids with an account, such as `cal://0/31`: answers name folders of the module the same way. */
  readonly isComposite: boolean;
}

/** Schemes of ids with an account; account 0 is the groupware itself. */
const SCHEMES = { calendar: 'cal', contacts: 'con' } as const;

/** Module whose folders also have ids with an account. */
export type CompositeModule = keyof typeof SCHEMES;

/** Prefixes of the number of a folder in an id with an account. */
export const ACCOUNT_PREFIX = new RegExp(`^(?:${Object.values(SCHEMES).join('|')})://0/`);

/** The id with an account of a folder: `cal://0/31`, `con://0/6`. */
export const toCompositeId = (module: CompositeModule, key: FolderKey): string => `${SCHEMES[module]}://0/${key}`;

/** The id of a calendar elsewhere: its account bears the number of its only folder. */
export const toFeedFolderId = (id: FolderKey): string => `cal://${id}/0`;

/** The number of the folder that the id of a calendar elsewhere names (`cal://34/0`); undefined for other ids. */
export function findFeedFolder(id: string): number | undefined {
  const number = Number(/^cal:\/\/(\d{1,9})\/0$/.exec(id)?.[1] ?? NaN);
  return number >= LOWEST_FOLDER_ID && moduleOfFolder(number) === 'calendar' ? number : undefined;
}

/** True for the ids of folders of files that other storages keep: `<service>://<account>/<path>`, a service has dots in its name. */
export const isStorageFolderId = (id: string): boolean => /^[a-z\d-]+(?:\.[a-z\d-]+)+:\/\/[^/]+\/[^/]*$/.test(id);

/**
 * Parses an id that a client sent: a number, `cal://0/N`, `con://0/N`, that of a calendar elsewhere, the full name of a mail folder, or
 * the id of a folder of a storage elsewhere. Undefined for folders of the tree itself, other accounts, and whatever no module owns.
 */
export function parseFolderAddress(id: string): FolderAddress | undefined {
  if (isStorageFolderId(id)) return { module: 'infostore', key: id, isComposite: false };
  if (/^default\d{1,9}(\/.+)?$/.test(id)) return { module: 'mail', key: id, isComposite: false };
  const feed = findFeedFolder(id);
  if (feed !== undefined) return { module: 'calendar', key: feed, isComposite: true };
  const composite = /^(cal|con):\/\/0\/(\d{1,9})$/.exec(id);
  const number = composite?.[2] ?? (/^\d{1,9}$/.test(id) ? id : undefined);
  const module = number === undefined ? undefined : moduleOfFolder(Number(number));
  if (!module || (composite && SCHEMES[module as CompositeModule] !== composite[1])) return undefined;
  return { module, key: Number(number), isComposite: composite !== null };
}

/** The folder of events that stands for all public calendars. */
export const ALL_PUBLIC_EVENTS = 'cal://0/allPublic';

const EVENT_FOLDER = 'cal://0/';

/** The id of a calendar folder as the event interface writes it: account 0 is the groupware's own. */
export const toEventFolderId = (id: number | string): string => `${EVENT_FOLDER}${id}`;

/** The plain form of a calendar folder id; other ids stay as they are. */
export const toPlainFolderId = (id: string): string =>
  id.startsWith(EVENT_FOLDER) ? id.slice(EVENT_FOLDER.length) : id;

/** Selects the operation of the module that owns the folder which a parameter names. */
export const selectByFolder = (parameter: string, module: FolderModule): Selector => ({
  parameter,
  label: `folder-of-${module}`,
  sample: String(folderIdOf(module, 2)),
  accepts: (id) => parseFolderAddress(id)?.module === module,
});
