/** Module numbers of folders (API page "Folders and permissions"); not those of attachments and reminders. */
export const FOLDER_MODULES = { tasks: 1, calendar: 2, contacts: 3, infostore: 8 } as const;

/** Module whose folders are kept in the groupware's own tree. */
export type FolderModule = keyof typeof FOLDER_MODULES;

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
} as const;

const STRIDE = 16;

/**
 * The id of the n-th folder (n ≥ 2) of a module. Every module counts its own folders, and the id tells the module, so
 * folder calls reach their owner without a look-up and no two modules need to agree on the next number.
 */
export const folderIdOf = (module: FolderModule, counter: number): number => counter * STRIDE + FOLDER_MODULES[module];

/** The module that owns a folder id; undefined for system folders and foreign ids. */
export function moduleOfFolder(id: number): FolderModule | undefined {
  if (!Number.isSafeInteger(id) || id < LOWEST_FOLDER_ID) return undefined;
  return (Object.keys(FOLDER_MODULES) as FolderModule[]).find((name) => FOLDER_MODULES[name] === id % STRIDE);
}
