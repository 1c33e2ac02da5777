import { SYSTEM_FOLDERS } from '@groupware/contracts';

/** Names of system folders by language. */
const NAMES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  en: {
    [SYSTEM_FOLDERS.private]: 'Private folders',
    [SYSTEM_FOLDERS.public]: 'Public folders',
    [SYSTEM_FOLDERS.shared]: 'Shared folders',
  },
  de: {
    [SYSTEM_FOLDERS.private]: 'Persönliche Ordner',
    [SYSTEM_FOLDERS.public]: 'Öffentliche Ordner',
    [SYSTEM_FOLDERS.shared]: 'Freigegebene Ordner',
  },
};

/** The name of a system folder in the language of a locale, English where there is none. */
export const systemFolderName = (id: number, locale: string): string =>
  (NAMES[locale.slice(0, 2).toLowerCase()] ?? NAMES.en!)[id] ?? '';

/** Ids of the system folders at the top of the tree, in their order. */
export const TOP_FOLDERS: readonly number[] = [SYSTEM_FOLDERS.private, SYSTEM_FOLDERS.public, SYSTEM_FOLDERS.shared];

/** Rank "create subfolders" of the first group of permission bits. */
export const CREATE_SUBFOLDERS = 4;
/** Rank "see folder" of the first group of permission bits. */
export const SEE_FOLDER = 1;
