import { MailFilterErrors, type MailFilterPart } from '@groupware/contracts';
import { list, number, tag, text, type SieveTest } from '@groupware/sieve';
import {
  ADDRESS_PARTS,
  MATCHINGS,
  MATCHINGS_V2,
  matchingTags,
  readAddressPart,
  readMatching,
  splitNegation,
  toComparisonV2,
  toSieveComparison,
  type Matching,
  type SieveComparison,
} from './comparison';
import {
  requireFields,
  requireHeaders,
  requireLine,
  requireLines,
  requireNumber,
  requireWord,
  type Fields,
} from './rule-values';
import {
  readArguments,
  requirePositional,
  stringOf,
  stringsOf,
  Unreadable,
  type ReadArguments,
} from './sieve-arguments';
import { readShorthand, SHORTHANDS, writeShorthand } from './shorthand-tests';
import { DATE_PARTS, readDateValues, readZone, toDateValues } from './test-dates';

/** Which clients a form is for. */
export type Generation = 'v1' | 'v2';

/** Deepest nesting of tests: more than any client shows. */
const MAX_DEPTH = 16;
/** Most tests of one list. */
const MAX_TESTS = 200;
/** Names that clients of the second generation have for the test of any headers. */
const HEADER_IDS: readonly string[] = ['cleanheader', 'headers'];

/** Writes the test of a client. @throws MAIL_FILTER-0025, 0001, 0003, 0017 */
export function toSieveTest(value: unknown, generation: Generation, depth = 0): SieveTest {
  const fields = requireFields(value, 'test');
  if (depth > MAX_DEPTH) throw MailFilterErrors.badRule('its tests are nested too deeply');
  const id = requireLine(fields.id, 'id').toLowerCase();
  if (generation === 'v2' && HEADER_IDS.includes(id))
    return WRITERS.header!({ comparison: 'contains', ...fields }, generation, depth);
  const writer = Object.hasOwn(WRITERS, id) ? WRITERS[id] : undefined;
  if (writer) return writer(fields, generation, depth);
  const shorthand = generation === 'v2' ? SHORTHANDS.find((each) => each.id.toLowerCase() === id) : undefined;
  if (!shorthand) throw MailFilterErrors.badRule(`the test ${id} is not known`);
  return writeShorthand(shorthand, fields);
}

type Writer = (fields: Fields, generation: Generation, depth: number) => SieveTest;

const make = (name: string, ...values: SieveTest['arguments']): SieveTest => ({ name, arguments: values, tests: [] });
/** The test, or its opposite. */
const negatedIf = (isNegated: boolean, test: SieveTest): SieveTest =>
  isNegated ? { name: 'not', arguments: [], tests: [test] } : test;

/** A test that compares no texts, or its opposite. @param known its comparison, where it has one */
function toPresenceTest(test: SieveTest, { comparison }: Fields, generation: Generation, known?: string): SieveTest {
  if (comparison === undefined || comparison === null) return test;
  const given = requireLine(comparison, 'comparison');
  const { isNegated, word } = splitNegation(given);
  if (word !== known || (isNegated && generation === 'v1'))
    throw MailFilterErrors.badRule(`the comparison ${given} of ${test.name} is not known`);
  return negatedIf(isNegated, test);
}

function comparisonOf(fields: Fields, generation: Generation, values: readonly string[]): SieveComparison {
  const word = requireLine(fields.comparison, 'comparison');
  if (generation === 'v1') requireWord(word, 'comparison', MATCHINGS);
  return toSieveComparison(word, values);
}

const partOf = ({ addresspart }: Fields): string | undefined =>
  addresspart === undefined || addresspart === null
    ? undefined
    : requireWord(addresspart, 'addresspart', ADDRESS_PARTS);

const listOfTests: (name: string) => Writer = (name) => (fields, generation, depth) => {
  if (!Array.isArray(fields.tests)) throw MailFilterErrors.missingParameter('tests');
  if (fields.tests.length === 0 || fields.tests.length > MAX_TESTS)
    throw MailFilterErrors.badRule(`${name} has no tests, or too many`);
  return { name, arguments: [], tests: fields.tests.map((each) => toSieveTest(each, generation, depth + 1)) };
};

const ofAddresses: (name: string) => Writer = (name) => (fields, generation) => {
  const headers = requireHeaders(fields.headers);
  if (name === 'envelope') for (const header of headers) requireWord(header, 'headers', ['from', 'to']);
  const values = requireLines(fields.values, 'values');
  const given = typeof fields.comparison === 'string' ? fields.comparison.toLowerCase() : '';
  // Clients of the first generation compare parts of addresses without saying how.
  const part = generation === 'v1' ? ADDRESS_PARTS.find((each) => each === given) : undefined;
  if (part) return make(name, tag(part), list(headers), list(values));
  const { isNegated, matching, values: compared } = comparisonOf(fields, generation, values);
  return negatedIf(isNegated, make(name, ...matchingTags(matching, partOf(fields)), list(headers), list(compared)));
};

const WRITERS: Readonly<Record<string, Writer>> = {
  true: (fields, generation) => toPresenceTest(make('true'), fields, generation),
  false: (fields, generation) => toPresenceTest(make('false'), fields, generation),
  not: ({ test }, generation, depth) => negatedIf(true, toSieveTest(test, generation, depth + 1)),
  allof: listOfTests('allof'),
  anyof: listOfTests('anyof'),
  address: ofAddresses('address'),
  envelope: ofAddresses('envelope'),
  exists: (fields, generation) =>
    toPresenceTest(make('exists', list(requireHeaders(fields.headers))), fields, generation, 'exists'),
  header: (fields, generation) => {
    const headers = requireHeaders(fields.headers);
    const { isNegated, matching, values } = comparisonOf(fields, generation, requireLines(fields.values, 'values'));
    return negatedIf(isNegated, make('header', tag(matching), list(headers), list(values)));
  },
  size: (fields, generation) => {
    const { isNegated, word } = splitNegation(requireLine(fields.comparison, 'comparison'));
    const comparison = requireWord(word, 'comparison', ['over', 'under']);
    if (isNegated && generation === 'v1') throw MailFilterErrors.badRule('the comparison is not known');
    return negatedIf(isNegated, make('size', tag(comparison), number(sizeOf(fields))));
  },
  body: (fields, generation) => {
    const { isNegated, matching, values } = comparisonOf(fields, generation, requireLines(fields.values, 'values'));
    const key = fields.extensionskey ?? undefined;
    const kind = key === undefined || key === '' ? undefined : requireWord(key, 'extensionskey', ['text', 'content']);
    const part =
      kind === 'content'
        ? [tag('content'), text(requireLine(fields.extensionsvalue, 'extensionsvalue'))]
        : kind === 'text'
          ? [tag('text')]
          : [];
    return negatedIf(isNegated, make('body', ...part, tag(matching), list(values)));
  },
  currentdate: (fields, generation) => ofDate(fields, generation),
  date: (fields, generation) => ofDate(fields, generation, requireHeaders(fields.header, 'header')[0]),
  hasflag: (fields, generation) => {
    const { isNegated, matching, values } = comparisonOf(fields, generation, requireLines(fields.values, 'values'));
    return negatedIf(isNegated, make('hasflag', tag(matching), list(values)));
  },
  string: (fields, generation) => {
    const source = requireLines(fields.source, 'source');
    const { isNegated, matching, values } = comparisonOf(fields, generation, requireLines(fields.values, 'values'));
    return negatedIf(isNegated, make('string', tag(matching), list(source), list(values)));
  },
};

function sizeOf({ size, values }: Fields): number {
  const given = size ?? (Array.isArray(values) ? (values as readonly unknown[])[0] : undefined);
  const [, digits, unit = ''] = (typeof given === 'string' && /^\s*(\d{1,16})\s*([KMG])B?\s*$/i.exec(given)) || [];
  const factor = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }[unit.toUpperCase()] ?? 1;
  return requireNumber(digits === undefined ? given : Number(digits) * factor, 'size');
}

function ofDate(fields: Fields, generation: Generation, header?: string): SieveTest {
  const { isNegated, word } = splitNegation(requireLine(fields.comparison, 'comparison'));
  if (isNegated && generation === 'v1') throw MailFilterErrors.badRule('the comparison is not known');
  const comparison = requireWord(word, 'comparison', ['is', 'ge', 'le', 'contains', 'matches']);
  const { part, values } = toDateValues(fields);
  const zone = readZone(fields);
  if (zone === 'original' && header === undefined) throw MailFilterErrors.badRule('there is no mail to have a zone');
  const isOrder = comparison === 'ge' || comparison === 'le';
  if (isOrder && values.length > 1) throw MailFilterErrors.badRule(`${comparison} takes one value`);
  return negatedIf(
    isNegated,
    make(
      header === undefined ? 'currentdate' : 'date',
      ...(zone === undefined ? [] : zone === 'original' ? [tag('originalzone')] : [tag('zone'), text(zone)]),
      ...(isOrder ? [tag('value'), text(comparison)] : [tag(comparison)]),
      ...(header === undefined ? [] : [text(header)]),
      text(part),
      list(values),
    ),
  );
}

/** Reads a test of a script. @throws Unreadable */
export function readTest(test: SieveTest, generation: Generation): MailFilterPart {
  if (test.name === 'not') {
    const inner = readTest(onlyTest(test), generation);
    const { comparison } = inner;
    const canNegate = generation === 'v2' && typeof comparison === 'string' && !/^not /.test(comparison);
    return canNegate ? { ...inner, comparison: `not ${comparison}` } : { id: 'not', test: inner };
  }
  if (generation === 'v2') {
    const shorthand = readShorthand(test);
    if (shorthand) return shorthand;
  }
  const reader = Object.hasOwn(READERS, test.name) ? READERS[test.name] : undefined;
  if (!reader) throw new Unreadable(`the test ${test.name} cannot be edited`);
  return { id: test.name, ...reader(test, generation) };
}

type Reader = (test: SieveTest, generation: Generation) => Fields;

function onlyTest({ tests }: SieveTest): SieveTest {
  const [only, ...others] = tests;
  if (!only || others.length > 0) throw new Unreadable('one test is wanted');
  return only;
}

const compared = (matching: Matching, values: readonly string[], generation: Generation): Fields =>
  generation === 'v2' ? toComparisonV2(matching, values) : { comparison: matching, values };

const noTests = ({ tests, name }: SieveTest): void => {
  if (tests.length > 0) throw new Unreadable(`${name} holds a test`);
};

const readTests: Reader = (test, generation) => {
  readArguments(test);
  if (test.tests.length === 0) throw new Unreadable('it has no tests');
  return { tests: test.tests.map((each) => readTest(each, generation)) };
};

const readConstant: Reader = (test) => {
  requirePositional(readArguments(test), 0);
  return {};
};

const readAddresses: Reader = (test, generation) => {
  const read = readArguments(test, [...MATCHINGS, ...ADDRESS_PARTS]);
  const [headers, values] = requirePositional(read, 2);
  const matching = readMatching(read);
  const part = readAddressPart(read);
  const how =
    generation === 'v1' && !matching && part
      ? { comparison: part, values: stringsOf(values) }
      : { ...compared(matching ?? 'is', stringsOf(values), generation), ...(part ? { addresspart: part } : {}) };
  return { headers: stringsOf(headers), ...how };
};

const readDate =
  (hasHeader: boolean): Reader =>
  (test) => {
    const read = readArguments(test, ['is', 'contains', 'matches', 'value:', 'zone:', 'originalzone']);
    const positional = [...requirePositional(read, hasHeader ? 3 : 2)];
    const header = hasHeader ? stringOf(positional.shift()) : undefined;
    const datepart = stringOf(positional[0]);
    if (!DATE_PARTS.some((each) => each === datepart)) throw new Unreadable(`${datepart} of dates cannot be edited`);
    const order = read.values.has('value') ? stringOf(read.values.get('value')) : undefined;
    if (order !== undefined && order !== 'ge' && order !== 'le') throw new Unreadable(`${order} cannot be edited`);
    const zone = read.values.has('zone') ? stringOf(read.values.get('zone')) : undefined;
    return {
      comparison: order ?? readMatching(read) ?? 'is',
      ...(header === undefined ? {} : { header }),
      datepart,
      datevalue: readDateValues(datepart, stringsOf(positional[1])),
      ...(read.tags.has('originalzone') ? { zone: 'original' } : zone === undefined ? {} : { zone }),
    };
  };

const readMatched = (test: SieveTest, generation: Generation, names: readonly string[]): Fields => {
  const read: ReadArguments = readArguments(test, MATCHINGS);
  const parts = requirePositional(read, names.length + 1);
  const first = Object.fromEntries(names.map((name, index) => [name, stringsOf(parts[index])]));
  return { ...first, ...compared(readMatching(read) ?? 'is', stringsOf(parts.at(-1)), generation) };
};

const plain =
  (reader: Reader): Reader =>
  (test, generation) => {
    noTests(test);
    return reader(test, generation);
  };

const READERS: Readonly<Record<string, Reader>> = {
  true: plain(readConstant),
  false: plain(readConstant),
  allof: readTests,
  anyof: readTests,
  address: plain(readAddresses),
  envelope: plain(readAddresses),
  exists: plain((test, generation) => ({
    ...(generation === 'v2' ? { comparison: 'exists' } : {}),
    headers: stringsOf(requirePositional(readArguments(test), 1)[0]),
  })),
  header: plain((test, generation) => readMatched(test, generation, ['headers'])),
  hasflag: plain((test, generation) => readMatched(test, generation, [])),
  string: plain((test, generation) => readMatched(test, generation, ['source'])),
  size: plain((test) => {
    const { tags, positional } = readArguments(test, ['over', 'under']);
    const [size] = positional;
    if (tags.size !== 1 || positional.length !== 1 || size?.kind !== 'number') throw new Unreadable('no size is named');
    return { comparison: [...tags][0], size: size.value };
  }),
  body: plain((test, generation) => {
    const read = readArguments(test, [...MATCHINGS, 'text', 'content:']);
    const [values] = requirePositional(read, 1);
    const content = read.values.get('content');
    return {
      extensionskey: content ? 'content' : read.tags.has('text') ? 'text' : null,
      extensionsvalue: content ? stringOf(content) : null,
      ...compared(readMatching(read) ?? 'is', stringsOf(values), generation),
    };
  }),
  currentdate: plain(readDate(false)),
  date: plain(readDate(true)),
};

/** Comparisons of texts that a generation knows. */
export const comparisonsOf = (generation: Generation): readonly string[] =>
  generation === 'v1' ? MATCHINGS : MATCHINGS_V2.flatMap((each) => [each, `not ${each}`]);
