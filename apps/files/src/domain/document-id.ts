import { InfostoreErrors, SYSTEM_FOLDERS, type DocumentReference } from '@groupware/contracts';

const MAX_ID = 2 ** 31 - 1;
const DOCUMENT_ID = /^(?:(\d{1,10})\/)?(\d{1,10})$/;

/** A document as a client names it. */
export interface NamedDocument {
  readonly id: number;
  /** Folder through which it is meant; undefined where the client does not say. */
  readonly folder: number | undefined;
}

const toNumber = (text: string): number | undefined => {
  const number = Number(text);
  return number <= MAX_ID ? number : undefined;
};

/** Parses `<folder>/<number>` or `<number>`; undefined for other texts. */
export function findDocumentId(id: string, folder?: string): NamedDocument | undefined {
  const match = DOCUMENT_ID.exec(id);
  const number = match && toNumber(match[2]!);
  if (!match || typeof number !== 'number') return undefined;
  const named = match[1] ?? (folder !== undefined && /^\d{1,10}$/.test(folder) ? folder : undefined);
  return { id: number, folder: named === undefined ? undefined : toNumber(named) };
}

/** The same. @throws IFO-0300 for other texts: there is no such document */
export function parseDocumentId(id: string, folder?: string): NamedDocument {
  const named = findDocumentId(id, folder);
  if (!named) throw InfostoreErrors.notFound(id);
  return named;
}

/** Whether the folder beside an id, where it tells one, is the one in it. */
export const isConsistent = ({ folder }: NamedDocument, beside: string | undefined): boolean =>
  beside === undefined || !/^\d+$/.test(beside) || folder === toNumber(beside);

/** The id of a document in a folder. */
export const toDocumentId = (folder: number, id: number): string => `${folder}/${id}`;

/** The folder in which documents are seen that are shared by themselves. */
export const SHARED_FILES = SYSTEM_FOLDERS.userInfostore;

/** True for folders that never hold a document: roots and lists. */
export const isVirtualFolder = (id: number): boolean =>
  id === SYSTEM_FOLDERS.infostore ||
  id === SYSTEM_FOLDERS.userInfostore ||
  id === SYSTEM_FOLDERS.orphanedInfostore ||
  id === SYSTEM_FOLDERS.publicInfostore;

/** The reference of a client, as answers repeat it. */
export const repeatReference = ({ id, folder }: DocumentReference): DocumentReference => ({
  ...(id !== undefined && { id }),
  ...(folder !== undefined && { folder }),
});
