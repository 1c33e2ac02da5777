import { MAIL_FLAGS } from '@groupware/contracts';

/** Flags of servers by bit. */
const FLAG_OF_BIT: ReadonlyMap<number, string> = new Map([
  [MAIL_FLAGS.answered, '\\Answered'],
  [MAIL_FLAGS.deleted, '\\Deleted'],
  [MAIL_FLAGS.draft, '\\Draft'],
  [MAIL_FLAGS.flagged, '\\Flagged'],
  [MAIL_FLAGS.seen, '\\Seen'],
  [MAIL_FLAGS.forwarded, '$Forwarded'],
  [MAIL_FLAGS.readReceipt, '$MDNSent'],
]);

const BIT_OF_FLAG: ReadonlyMap<string, number> = new Map([
  ...[...FLAG_OF_BIT].map(([bit, flag]) => [flag.toLowerCase(), bit] as const),
  ['\\recent', MAIL_FLAGS.recent],
  ['forwarded', MAIL_FLAGS.forwarded],
  ['$junk', MAIL_FLAGS.spam],
  ['junk', MAIL_FLAGS.spam],
]);

const COLOR = /^\$cl_(\d{1,2})$/i;
/** Keywords of other clients that are no labels of users. */
const STATES = new Set(['$notjunk', 'nonjunk', 'notjunk', '$submitted', '$submitpending']);

/** Highest colour. */
export const MAX_COLOR = 10;

/** Keyword of a colour. */
export const toColorKeyword = (color: number): string => `$cl_${color}`;

/** Keywords of all colours. */
export const COLOR_KEYWORDS: readonly string[] = Array.from({ length: MAX_COLOR }, (_each, index) =>
  toColorKeyword(index + 1),
);

/** Bits of the flags of a mail. */
export function toFlagBits(flags: ReadonlySet<string>, acceptsKeywords: boolean): number {
  let bits = acceptsKeywords ? MAIL_FLAGS.userFlags : 0;
  for (const flag of flags) bits |= BIT_OF_FLAG.get(flag.toLowerCase()) ?? 0;
  return bits;
}

/** Colour of a mail; 0 without. */
export function toColor(flags: ReadonlySet<string>): number {
  for (const flag of flags) {
    const color = Number(COLOR.exec(flag)?.[1] ?? 0);
    if (color > 0 && color <= MAX_COLOR) return color;
  }
  return 0;
}

/** Labels of users and other clients. */
export const toUserKeywords = (flags: ReadonlySet<string>): string[] =>
  [...flags].filter(
    (flag) =>
      !flag.startsWith('\\') &&
      !COLOR.test(flag) &&
      !BIT_OF_FLAG.has(flag.toLowerCase()) &&
      !STATES.has(flag.toLowerCase()),
  );

/** Flags of servers for bits; those that only servers set, and spam, which is a move, are left out. */
export const toServerFlags = (bits: number): string[] =>
  [...FLAG_OF_BIT].flatMap(([bit, flag]) => ((bits & bit) === 0 ? [] : [flag]));

/** Flags of servers that a bit stands for. */
export const listServerFlags = (bit: number): string[] =>
  [...BIT_OF_FLAG].flatMap(([flag, each]) => (each === bit ? [flag] : []));
