import type { MailFolderTree } from '@groupware/contracts';
import { FOLDER_NAMES, type FolderRole } from './stored-account';

/** A folder as an IMAP server lists it. */
export interface ListedFolder {
  readonly path: string;
  readonly name: string;
  readonly delimiter: string;
  readonly subscribed?: boolean;
  /** Attribute such as `\Trash` (RFC 6154), or `\Inbox`. */
  readonly specialUse?: string;
}

/** Most folders of a tree. */
export const MAX_FOLDERS = 10_000;

const TYPES: Readonly<Record<string, number>> = {
  '\\Inbox': 7,
  '\\Drafts': 9,
  '\\Sent': 10,
  '\\Junk': 11,
  '\\Trash': 12,
};

/** Builds the folder tree of an account. @param root id of the account's root folder */
export function buildFolderTree(root: string, title: string, folders: readonly ListedFolder[]): MailFolderTree {
  const children = new Map<string, ListedFolder[]>();
  const known = new Set(folders.map(({ path }) => path));
  for (const folder of folders) {
    const end = folder.delimiter ? folder.path.lastIndexOf(folder.delimiter) : -1;
    const parent = end > 0 ? folder.path.slice(0, end) : '';
    // Children of unlisted parents stay visible.
    const place = known.has(parent) ? parent : '';
    const siblings = children.get(place);
    if (siblings) siblings.push(folder);
    else children.set(place, [folder]);
  }
  const below = (path: string, id: string): MailFolderTree[] =>
    (children.get(path) ?? []).map((folder) => {
      const own = `${root}/${folder.path}`;
      const type = folder.path.toUpperCase() === 'INBOX' ? 7 : (TYPES[folder.specialUse ?? ''] ?? 0);
      const inner = below(folder.path, own);
      return {
        id: own,
        folder_id: id,
        title: folder.name,
        module: 'mail',
        subfolders: inner.length > 0,
        subscribed: folder.subscribed ?? true,
        standard_folder: type > 0,
        standard_folder_type: type,
        subfolder_array: inner,
      };
    });
  const top = below('', root);
  return {
    id: root,
    title,
    module: 'mail',
    subfolders: top.length > 0,
    subscribed: true,
    standard_folder: false,
    standard_folder_type: 0,
    subfolder_array: top,
  };
}

const SPECIAL_USE: Readonly<Partial<Record<FolderRole, string>>> = {
  trash: '\\Trash',
  sent: '\\Sent',
  drafts: '\\Drafts',
  spam: '\\Junk',
  archive: '\\Archive',
};

/** Detects standard folders: by the user's choice, else the server's special-use attribute, else the usual name. */
export function detectStandardFolders(
  folders: readonly ListedFolder[],
  wanted: Readonly<Partial<Record<FolderRole, string | null>>>,
): Partial<Record<FolderRole, ListedFolder>> {
  const found: Partial<Record<FolderRole, ListedFolder>> = {};
  for (const role of Object.keys(SPECIAL_USE) as FolderRole[]) {
    const named = (name: string) => folders.find((folder) => folder.name.toLowerCase() === name.toLowerCase());
    const name = wanted[role];
    const folder = name
      ? named(name)
      : (folders.find(({ specialUse }) => specialUse === SPECIAL_USE[role]) ?? named(FOLDER_NAMES[role]));
    if (folder) found[role] = folder;
  }
  return found;
}
