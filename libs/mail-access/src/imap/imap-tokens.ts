/** A token of an IMAP command or response. */
export type ImapToken =
  | null
  | readonly ImapToken[]
  | {
      readonly type: 'ATOM' | 'STRING' | 'LITERAL' | 'SEQUENCE' | 'NUMBER' | 'TEXT' | 'SECTION';
      readonly value?: string | Buffer;
      readonly section?: readonly ImapToken[];
      readonly partial?: readonly number[];
    };

/** An atom, such as a keyword of the protocol. Never of what users wrote. */
export const atom = (value: string): ImapToken => ({ type: 'ATOM', value });

/** A text of users: quoted where it is short and printable ASCII, else a literal, which holds any bytes. */
export const text = (value: string): ImapToken =>
  /^[ !#-[\]-~]{0,200}$/.test(value)
    ? { type: 'STRING', value }
    : { type: 'LITERAL', value: Buffer.from(value.replaceAll('\0', ''), 'utf8') };

/** A set of UIDs. */
export const uidSet = (uids: readonly number[]): ImapToken => ({ type: 'SEQUENCE', value: formatUidSet(uids) });

/** Writes UIDs as a set, neighbours as ranges. Their order is kept. */
export function formatUidSet(uids: readonly number[]): string {
  const parts: string[] = [];
  for (let index = 0; index < uids.length; index += 1) {
    const first = uids[index]!;
    let last = first;
    while (uids[index + 1] === last + 1) {
      last += 1;
      index += 1;
    }
    parts.push(first === last ? String(first) : `${first}:${last}`);
  }
  return parts.join(',');
}

/** Most UIDs that are read of one set, whatever its ranges promise. */
const MAX_UIDS = 10_000_000;

/** Reads a set of UIDs in its order. @param most more are ignored */
export function parseUidSet(set: string, most = MAX_UIDS): number[] {
  const uids: number[] = [];
  for (const part of set.split(',')) {
    const [from = '', to = from] = part.split(':');
    if (!/^\d{1,10}$/.test(from) || !/^\d{1,10}$/.test(to)) continue;
    const [first, last] = [Number(from), Number(to)];
    const step = first <= last ? 1 : -1;
    for (let uid = first; uid !== last + step; uid += step) {
      if (uids.length >= most) return uids;
      uids.push(uid);
    }
  }
  return uids;
}

/** The text of a token; empty for lists and NIL. */
export function textOf(token: ImapToken | undefined): string {
  if (!token || Array.isArray(token)) return '';
  const { value } = token as { readonly value?: string | Buffer };
  return typeof value === 'string' ? value : (value?.toString('utf8') ?? '');
}

/** A thread of UIDs: a mail with the answers to it. */
export interface UidThread {
  /** 0 where the server knows of a mail that is gone. */
  readonly uid: number;
  readonly children: readonly UidThread[];
}
