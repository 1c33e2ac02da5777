import { ImapErrors } from '@groupware/contracts';

/** Number of the primary account. */
export const PRIMARY_ACCOUNT = 0;

/** A folder of a mailbox. */
export interface MailFolder {
  /** Account; 0 is the primary one. */
  readonly account: number;
  /** Full name at the server, decoded; empty for the root of the account. */
  readonly path: string;
}

/** Control characters, and halves of characters: they have no place in a name, and none in a command. */
// eslint-disable-next-line no-control-regex -- these are meant
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff]/;
/** Longest full name of a folder, characters. */
const MAX_PATH = 1024;

/**
 * Parses a folder id: `default<account>/<full name>`, or a full name alone, which is of the primary account. The name of
 * the inbox has no case.
 * @throws IMAP-1002 for names that no server can have
 */
export function parseMailFolder(id: string): MailFolder {
  const match = /^default(\d{1,9})(?:\/([^]*))?$/.exec(id);
  const path = match ? (match[2] ?? '') : id;
  if (path.length > MAX_PATH || UNPRINTABLE.test(path.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '')))
    throw ImapErrors.folderNotFound(id);
  return { account: match ? Number(match[1]) : PRIMARY_ACCOUNT, path: /^inbox$/i.test(path) ? 'INBOX' : path };
}

/** The id of a folder as clients are told it. */
export const toMailFolderId = ({ account, path }: MailFolder): string =>
  path === '' ? `default${account}` : `default${account}/${path}`;

/** Whether a folder is the one of a full name, or below it. */
export const isWithin = ({ path }: MailFolder, above: string | undefined, separator: string): boolean =>
  above !== undefined && (path === above || path.startsWith(`${above}${separator}`));

/** Parses the id of a mail; undefined for what no server gives. */
export function parseMailId(id: string): number | undefined {
  const uid = /^\d{1,10}$/.test(id) ? Number(id) : 0;
  return uid > 0 && uid < 2 ** 32 ? uid : undefined;
}
