import { MailErrors } from '@groupware/contracts';

/** Order of a list of mails. */
export interface MailOrder {
  /** Column; `thread`: mails behind what they answer. */
  readonly column: number | 'thread';
  readonly descending: boolean;
}

/** Parses the order of a list; oldest first by default. @throws MSG-0030, MSG-0031 */
export function parseOrder({ sort, order }: { readonly sort?: string; readonly order?: string }): MailOrder {
  const direction = order?.toLowerCase();
  if (direction !== undefined && direction !== 'asc' && direction !== 'desc')
    throw MailErrors.badParameter('order', order!);
  const descending = direction === 'desc';
  if (sort === undefined || sort === '') return { column: 610, descending };
  if (direction === undefined) throw MailErrors.missingParameter('order');
  if (sort === 'thread') return { column: 'thread', descending };
  if (!/^\d{1,9}$/.test(sort)) throw MailErrors.badParameter('sort', sort);
  return { column: Number(sort), descending };
}

/** Keys of the extension SORT (RFC 5256) by column; those of display names (RFC 5957) where the server has them. */
export function findSortKey(column: number, hasDisplaySort: boolean): readonly string[] {
  const key = SORT_KEYS[column];
  if (!key) return ['ARRIVAL'];
  return [hasDisplaySort && DISPLAY_KEYS[column] ? DISPLAY_KEYS[column] : key, 'ARRIVAL'];
}

const SORT_KEYS: Readonly<Record<number, string>> = {
  603: 'FROM',
  604: 'TO',
  605: 'CC',
  607: 'SUBJECT',
  608: 'SIZE',
  609: 'DATE',
};
const DISPLAY_KEYS: Readonly<Record<number, string>> = { 603: 'DISPLAYFROM', 604: 'DISPLAYTO' };

/** Criteria of flags by column: mails without the flag come first. */
export const FLAG_SORTS: Readonly<Record<number, readonly string[]>> = {
  611: ['SEEN'],
  651: ['SEEN'],
  657: ['ANSWERED'],
  658: ['KEYWORD', '$Forwarded'],
  659: ['DRAFT'],
  660: ['FLAGGED'],
};

/** So much of a subject is compared, characters: more of them only exist to exhaust the process that compares. */
const COMPARED_CHARACTERS = 1_000;

/** The subject without prefixes of answers and lists (RFC 5256, section 2.1), for comparisons. */
export function toBaseSubject(subject: string): string {
  let base = subject.trim().slice(0, COMPARED_CHARACTERS).trimEnd();
  for (let before = ''; before !== base;) {
    before = base;
    base = base
      .replace(/^(?:re|fwd?|aw|wg)\s*(?:\[[^\]]*\]\s*)?:\s*/i, '')
      .replace(/^\[[^\]]{0,100}\]\s*(?=\S)/, '')
      .replace(/\(fwd\)$/i, '')
      .trimEnd();
  }
  return base;
}
