import type { MailFilterConfig, MailFilterConfigV2 } from '@groupware/contracts';
import type { SieveCapabilities } from '@groupware/mail-access';
import { comparisonsOf } from './rule-tests';
import { ACTION_EXTENSIONS } from './rule-actions';

/** Capabilities that a server announces, as far as rules depend on them. */
export type Announced = Pick<SieveCapabilities, 'extensions' | 'maxRedirects'>;

/** Parts of rules that the operator hides from clients of the second generation. */
export interface Hidden {
  readonly tests: readonly string[];
  readonly actions: readonly string[];
  readonly comparisons: readonly string[];
  /** Comparisons of single tests, by their ids in lower case. */
  readonly comparisonsOf: Readonly<Record<string, readonly string[]>>;
}

/** Whether a server has an extension; flags have two names. */
export const hasExtension = ({ extensions }: Announced, name: string): boolean =>
  name === '' || extensions.has(name) || (name === 'imap4flags' && extensions.has('imapflags'));

const actionsOf = (server: Announced): string[] =>
  Object.entries(ACTION_EXTENSIONS).flatMap(([id, extension]) => (hasExtension(server, extension) ? [id] : []));

interface KnownTest {
  readonly id: string;
  readonly extensions?: readonly string[];
  readonly compares?: 'texts' | 'sizes' | 'dates' | 'presence';
  readonly headers?: readonly string[];
  readonly hasParts?: boolean;
}

const USUAL_HEADERS = ['From', 'To', 'Cc', 'Bcc', 'Sender', 'Reply-To', 'Resent-From', 'Resent-To'];
/** Tests of both generations. */
const TESTS: readonly KnownTest[] = [
  { id: 'true' },
  { id: 'not' },
  { id: 'allof' },
  { id: 'anyof' },
  { id: 'address', compares: 'texts', headers: USUAL_HEADERS, hasParts: true },
  { id: 'envelope', extensions: ['envelope'], compares: 'texts', headers: ['from', 'to'], hasParts: true },
  { id: 'header', compares: 'texts' },
  { id: 'exists', compares: 'presence' },
  { id: 'size', compares: 'sizes' },
  { id: 'body', extensions: ['body'], compares: 'texts' },
  { id: 'currentdate', extensions: ['date'], compares: 'dates' },
  { id: 'date', extensions: ['date'], compares: 'dates' },
  { id: 'hasflag', extensions: ['imap4flags'], compares: 'texts' },
];
/** Tests of the second one. */
const SHORT_TESTS: readonly KnownTest[] = [
  { id: 'subject', compares: 'texts' },
  { id: 'from', compares: 'texts', hasParts: true },
  { id: 'to', compares: 'texts', hasParts: true },
  { id: 'cc', compares: 'texts', hasParts: true },
  { id: 'anyRecipient', compares: 'texts', hasParts: true },
  { id: 'mailingList', compares: 'texts' },
  { id: 'attachment', extensions: ['mime'], compares: 'presence' },
  { id: 'fileName', extensions: ['mime'], compares: 'texts' },
  { id: 'string', extensions: ['variables'], compares: 'texts' },
];

/** Ids of all tests that clients are offered. */
export const OFFERED_TESTS: readonly string[] = [...TESTS, ...SHORT_TESTS].map(({ id }) => id);

const isOffered = (server: Announced, { extensions = [] }: KnownTest): boolean =>
  extensions.every((each) => hasExtension(server, each));

function comparisonsFor({ compares }: KnownTest, server: Announced, generation: 'v1' | 'v2'): readonly string[] {
  const both = (...words: string[]) => (generation === 'v2' ? words.flatMap((each) => [each, `not ${each}`]) : words);
  switch (compares) {
    case 'texts':
      return comparisonsOf(generation).filter((each) => !each.endsWith('regex') || hasExtension(server, 'regex'));
    case 'sizes':
      return both('over', 'under');
    case 'dates':
      return both(...(hasExtension(server, 'relational') ? ['ge', 'le'] : []), 'is', 'contains', 'matches');
    case 'presence':
      return generation === 'v2' ? both('exists') : [];
    default:
      return [];
  }
}

const addressParts = (server: Announced): readonly string[] => [
  ...(hasExtension(server, 'subaddress') ? ['user', 'detail'] : []),
  ...['all', 'localpart', 'domain'],
];

/** Parts that rules of the first generation may consist of. */
export const toConfig = (server: Announced): MailFilterConfig => ({
  tests: TESTS.filter((each) => isOffered(server, each)).map((each) => ({
    test: each.id,
    comparison: each.id === 'address' ? addressParts(server) : comparisonsFor(each, server, 'v1'),
  })),
  actioncommands: actionsOf(server),
  capabilities: [...server.extensions],
});

/** Parts that rules of the second generation may consist of. */
export function toConfigV2(server: Announced, hidden: Hidden, allowNestedTests: boolean): MailFilterConfigV2 {
  const isShown = (id: string, list: readonly string[]) => !list.includes(id.toLowerCase());
  return {
    tests: [...TESTS, ...SHORT_TESTS]
      .filter((each) => isOffered(server, each) && isShown(each.id, hidden.tests))
      .map((each) => {
        const own = hidden.comparisonsOf[each.id.toLowerCase()] ?? [];
        const comparisons = comparisonsFor(each, server, 'v2').filter((word) =>
          isShown(word, [...hidden.comparisons, ...own]),
        );
        return {
          id: each.id,
          ...(comparisons.length > 0 ? { comparisons } : {}),
          ...(each.headers ? { headers: each.headers } : {}),
          ...(each.hasParts ? { parts: addressParts(server) } : {}),
        };
      }),
    actioncmds: actionsOf(server).flatMap((id) => (isShown(id, hidden.actions) ? [{ id }] : [])),
    options: {
      allowNestedTests,
      ...(server.maxRedirects === undefined ? {} : { MAXREDIRECTS: server.maxRedirects }),
    },
  };
}
