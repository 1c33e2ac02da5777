import { MailFilterErrors, type MailFilterPart } from '@groupware/contracts';
import { list, tag, text, type SieveTest } from '@groupware/sieve';
import {
  ADDRESS_PARTS,
  MATCHINGS,
  matchingTags,
  readAddressPart,
  readMatching,
  splitNegation,
  toComparisonV2,
  toSieveComparison,
} from './comparison';
import { requireLine, requireLines, requireWord, type Fields } from './rule-values';
import { readArguments, stringsOf, Unreadable } from './sieve-arguments';

/** A test of the second generation that stands for one on certain headers. */
export interface ShorthandTest {
  readonly id: string;
  readonly kind: 'header' | 'address' | 'attachment' | 'fileName';
  readonly headers: readonly string[];
}

/** Short forms of tests, as clients of the second generation know them. */
export const SHORTHANDS: readonly ShorthandTest[] = [
  { id: 'subject', kind: 'header', headers: ['Subject'] },
  { id: 'from', kind: 'address', headers: ['From'] },
  { id: 'to', kind: 'address', headers: ['To'] },
  { id: 'cc', kind: 'address', headers: ['Cc'] },
  { id: 'anyRecipient', kind: 'address', headers: ['To', 'Cc'] },
  {
    id: 'mailingList',
    kind: 'header',
    headers: ['List-Id', 'X-BeenThere', 'X-Mailinglist', 'X-Mailing-List'],
  },
  { id: 'attachment', kind: 'attachment', headers: ['Content-Disposition'] },
  { id: 'fileName', kind: 'fileName', headers: ['Content-Disposition'] },
];

const negatedIf = (isNegated: boolean, test: SieveTest): SieveTest =>
  isNegated ? { name: 'not', arguments: [], tests: [test] } : test;
const header = (...values: SieveTest['arguments']): SieveTest => ({ name: 'header', arguments: values, tests: [] });
/** All parts of a mail. */
const PARTS = [tag('mime'), tag('anychild')] as const;

/** Writes a short form. @throws MAIL_FILTER-0025, 0001 */
export function writeShorthand({ id, kind, headers }: ShorthandTest, fields: Fields): SieveTest {
  const comparison = fields.comparison ?? (kind === 'attachment' ? 'exists' : 'contains');
  const word = requireLine(comparison, 'comparison');
  if (kind === 'attachment') {
    const { isNegated, word: plain } = splitNegation(word);
    if (plain !== 'exists') throw MailFilterErrors.badRule(`the comparison ${word} of ${id} is not known`);
    return negatedIf(isNegated, header(...PARTS, tag('contains'), list(headers), list(['attachment'])));
  }
  const { isNegated, matching, values } = toSieveComparison(word, requireLines(fields.values, 'values'));
  if (kind === 'fileName')
    return negatedIf(
      isNegated,
      header(...PARTS, tag('param'), text('filename'), tag(matching), list(headers), list(values)),
    );
  const part =
    kind === 'address' && fields.addresspart !== undefined && fields.addresspart !== null
      ? requireWord(fields.addresspart, 'addresspart', ADDRESS_PARTS)
      : undefined;
  const how = [...matchingTags(matching, part), list(headers), list(values)];
  return negatedIf(isNegated, { name: kind, arguments: how, tests: [] });
}

/** The short form of a test; undefined for a test that has none. */
export function readShorthand(test: SieveTest): MailFilterPart | undefined {
  if ((test.name !== 'header' && test.name !== 'address') || test.tests.length > 0) return undefined;
  try {
    const read = readArguments(test, [...MATCHINGS, ...ADDRESS_PARTS, 'mime', 'anychild', 'param:']);
    const headers = stringsOf(read.positional[0]).join();
    const values = stringsOf(read.positional[1]);
    const isOfParts = read.tags.has('mime') && read.tags.has('anychild');
    const kind = isOfParts ? (read.values.has('param') ? 'fileName' : 'attachment') : test.name;
    const found = SHORTHANDS.find((each) => each.kind === kind && each.headers.join() === headers);
    const matching = readMatching(read);
    if (!found || !matching) return undefined;
    if (kind === 'attachment')
      return matching === 'contains' && values.join() === 'attachment'
        ? { id: found.id, comparison: 'exists' }
        : undefined;
    if (kind === 'fileName' && stringsOf(read.values.get('param')).join() !== 'filename') return undefined;
    const part = readAddressPart(read);
    return { id: found.id, ...toComparisonV2(matching, values), ...(part ? { addresspart: part } : {}) };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
