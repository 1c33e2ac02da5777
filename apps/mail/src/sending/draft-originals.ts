import { CatalogueError } from '@groupware/contracts';
import type { MailHeaders } from '@groupware/mail-content';
import { DRAFT_REFERENCE, parseMailPaths, toMailPath, type MailPlace } from '../domain/mail-path';

/** Meanings of the number `sendtype` of a mail. */
export const SEND_TYPES = { reply: 1, forward: 2, editDraft: 3, sendDraft: 4, keepDraft: 5, dropDraft: 6 } as const;
/** Header of drafts that tells whether they answer or forward the mails that they name: the number `sendtype`. */
const DRAFT_SEND_TYPE = 'X-Svc-Sendtype';
/** Longest header with the names of mails; of more, the draft names none, and is saved all the same. */
const MAX_LENGTH = 1_900;

/** Mails that a written one answers or forwards. */
export interface WrittenOriginals {
  readonly sendtype: typeof SEND_TYPES.reply | typeof SEND_TYPES.forward;
  readonly places: readonly MailPlace[];
}

/** Headers of a draft that keep which mails it answers or forwards. They do not leave. */
export function toOriginalHeaders({ sendtype, places }: WrittenOriginals): Record<string, string> {
  const paths = places.map(toMailPath).join(',');
  return paths.length > MAX_LENGTH ? {} : { [DRAFT_REFERENCE]: paths, [DRAFT_SEND_TYPE]: String(sendtype) };
}

/** The mails that a draft answers or forwards. What names no mails is none: other programs write drafts, too. */
export function readOriginalHeaders(headers: MailHeaders): WrittenOriginals | undefined {
  const paths = headers.getText(DRAFT_REFERENCE);
  if (!paths) return undefined;
  const isForward = headers.getRaw(DRAFT_SEND_TYPE) === String(SEND_TYPES.forward);
  try {
    return { sendtype: isForward ? SEND_TYPES.forward : SEND_TYPES.reply, places: parseMailPaths(paths) };
  } catch (error) {
    if (error instanceof CatalogueError) return undefined;
    throw error;
  }
}
