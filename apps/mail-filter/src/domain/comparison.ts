import { MailFilterErrors } from '@groupware/contracts';
import { tag, type SieveArgument } from '@groupware/sieve';
import { Unreadable, type ReadArguments } from './sieve-arguments';

/** How texts are compared. */
export type Matching = 'is' | 'contains' | 'matches' | 'regex';

/** Comparisons of texts that both generations know. */
export const MATCHINGS: readonly Matching[] = ['is', 'contains', 'matches', 'regex'];
/** Those of clients of the second generation, beside their negations. */
export const MATCHINGS_V2 = [...MATCHINGS, 'startswith', 'endswith'] as const;
/** Parts of addresses. */
export const ADDRESS_PARTS = ['all', 'localpart', 'domain', 'user', 'detail'] as const;

/** A comparison as scripts have it. */
export interface SieveComparison {
  readonly isNegated: boolean;
  readonly matching: Matching;
  readonly values: readonly string[];
}

const escape = (text: string): string => text.replace(/[\\*?]/g, '\\$&');
const unescape = (text: string): string => text.replace(/\\([^])/g, '$1');
/** Texts without wild cards. */
const LITERAL = /^(?:[^\\*?]|\\[^])*$/;

/** Splits `not contains` into its halves. */
export function splitNegation(comparison: string): { readonly isNegated: boolean; readonly word: string } {
  const match = /^not\s+(\S.*)$/i.exec(comparison.trim());
  return { isNegated: match !== null, word: (match?.[1] ?? comparison).trim().toLowerCase() };
}

/** Turns a comparison of a client into one of scripts. @throws MAIL_FILTER-0025 */
export function toSieveComparison(comparison: string, values: readonly string[]): SieveComparison {
  const { isNegated, word } = splitNegation(comparison);
  if (word === 'startswith')
    return { isNegated, matching: 'matches', values: values.map((each) => `${escape(each)}*`) };
  if (word === 'endswith') return { isNegated, matching: 'matches', values: values.map((each) => `*${escape(each)}`) };
  const matching = MATCHINGS.find((each) => each === word);
  if (!matching) throw MailFilterErrors.badRule(`the comparison ${comparison} is not known`);
  return { isNegated, matching, values };
}

/** The comparison and values of the second generation. */
export function toComparisonV2(
  matching: Matching,
  values: readonly string[],
): { readonly comparison: string; readonly values: readonly string[] } {
  const isBefore = (value: string) => /[^\\]\*$|\\\\\*$/.test(value) && LITERAL.test(value.slice(0, -1));
  const isAfter = (value: string) => value.length > 1 && value.startsWith('*') && LITERAL.test(value.slice(1));
  if (matching === 'matches' && values.every(isBefore))
    return { comparison: 'startswith', values: values.map((value) => unescape(value.slice(0, -1))) };
  if (matching === 'matches' && values.every(isAfter))
    return { comparison: 'endswith', values: values.map((value) => unescape(value.slice(1))) };
  return { comparison: matching, values };
}

/** The matching that tags name; undefined for none. @throws Unreadable for several */
export function readMatching({ tags }: ReadArguments): Matching | undefined {
  const found = MATCHINGS.filter((each) => tags.has(each));
  if (found.length > 1) throw new Unreadable('it compares in several ways');
  return found[0];
}

/** The part of addresses that tags name; undefined for none. */
export const readAddressPart = ({ tags }: ReadArguments): string | undefined =>
  ADDRESS_PARTS.find((each) => tags.has(each));

/** Tags of a comparison. */
export const matchingTags = (matching: Matching, part?: string): readonly SieveArgument[] => [
  tag(matching),
  ...(part === undefined ? [] : [tag(part)]),
];
