import { MailErrors } from '@groupware/contracts';
import { parseMailFolder, parseMailId, toMailFolderId, type MailFolder } from './mail-folder';

/** A mail by its place. */
export interface MailPlace {
  readonly folder: MailFolder;
  readonly uid: number;
}

/** Header of drafts that names the mails they answer or forward, by paths with commas. */
export const DRAFT_REFERENCE = 'X-Svc-Msgref';

/** Most mails that one mail refers to. */
const MAX_REFERENCES = 100;

/** Parses the path of a mail: folder id, slash, mail id. @throws MSG-0067 for what names no mail */
export function parseMailPath(path: string): MailPlace {
  const at = path.lastIndexOf('/');
  return toPlace(path.slice(0, Math.max(at, 0)), path.slice(at + 1));
}

/** Parses paths of mails with commas. @throws MSG-0067 for what names no mail, MSG-0080 for too many */
export function parseMailPaths(paths: string): MailPlace[] {
  // Names of folders may hold commas: only what begins as a path begins another one.
  const found = paths.split(/,(?=default\d+\/)/, MAX_REFERENCES + 1);
  if (found.length > MAX_REFERENCES) throw MailErrors.tooManyForwards(MAX_REFERENCES);
  return found.map(parseMailPath);
}

/** The mail of a folder and an id. @throws MSG-0067 for what names no mail */
export function toPlace(folder: string, id: string): MailPlace {
  const uid = parseMailId(id);
  if (uid === undefined || folder === '') throw MailErrors.originalGone(id.slice(0, 100), folder.slice(0, 200));
  return { folder: parseMailFolder(folder), uid };
}

/** The mail that a request names. @throws MSG-0032 */
export function requirePlace(folder: string, id: string): MailPlace {
  const uid = parseMailId(id);
  if (uid === undefined) throw MailErrors.notFound(id, folder);
  return { folder: parseMailFolder(folder), uid };
}

/** The path of a mail. */
export const toMailPath = ({ folder, uid }: MailPlace): string => `${toMailFolderId(folder)}/${uid}`;
