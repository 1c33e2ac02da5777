import fc from 'fast-check';
import type { CardContact } from './card-contact';
import type { ReadCard } from './card';
import { FIELD_SLOTS } from './card-fields';
import { readCards } from './card-reader';
import { writeCard, type WrittenVersion } from './card-writer';
import { overlayContact, readContact } from './contact-card';

const CARDS_IN_A_FILE = 10;
/** Files of each of the first two properties: ten thousand cards. */
const FILES = 500;

async function readAll(text: string): Promise<ReadCard[]> {
  const cards: ReadCard[] = [];
  for await (const card of readCards([Buffer.from(text)], { pause: () => undefined })) cards.push(card);
  return cards;
}

/** Keeps the characters that a card can carry: no controls but tab and newline. */
const clean = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/(?![\t\n])\p{Cc}/gu, '');
const PIECES = [
  '\\',
  ',',
  ';',
  ':',
  '"',
  '\n',
  '^',
  '^n',
  '\\n',
  '=',
  '=3D',
  ' ',
  '\t',
  'ä',
  '€',
  '😀',
  'END:VCARD',
  'a',
];
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 20 }).map((pieces) => pieces.join('')),
  )
  .map(clean)
  .filter((value) => value.trim() !== '');
const day = fc.oneof(
  fc
    .date({ min: new Date('1583-01-01'), max: new Date('9999-01-01'), noInvalidDate: true })
    .map((date) => Math.floor(date.getTime() / 86_400_000) * 86_400_000),
  fc.constant(Date.parse('0001-02-28T00:00:00Z')),
);
const FIELDS = [...new Set(FIELD_SLOTS.flatMap(({ fields }) => fields))].filter((field) => field !== 'color_label');

const contact: fc.Arbitrary<CardContact> = fc.record(
  {
    texts: fc.dictionary(fc.constantFrom(...FIELDS), text, { maxKeys: 25, noNullPrototype: true }),
    isPrivate: fc.boolean(),
    birthday: day,
    anniversary: day,
    color: fc.integer({ min: 0, max: 10 }),
    members: fc.array(fc.record({ mail: text, displayName: text }, { requiredKeys: ['mail'] }), { maxLength: 4 }),
  },
  { requiredKeys: ['texts', 'isPrivate'] },
);
const version: fc.Arbitrary<WrittenVersion> = fc.constantFrom('3.0', '4.0');

const BROKEN = [
  'BEGIN:VCARD\nVERSION:9.9\nFN:x\nEND:VCARD\n',
  'BEGIN:VCARD\nFN:never closed\n',
  'BEGIN:VCARD\nEND:VCARD\n',
];

/** A line of a card as programs write it, with every quirk. */
const NAMES = [
  'EMAIL',
  'TEL',
  'ADR',
  'N',
  'ORG',
  'NOTE',
  'BDAY',
  'X-FOO',
  'item1.URL',
  'GEO',
  'LABEL',
  'CATEGORIES',
  'CLASS',
  'IMPP',
  'KIND',
  'MEMBER',
  'PHOTO',
];
const TYPES = [
  '',
  ';WORK',
  ';TYPE=HOME',
  ';TYPE="work,voice"',
  ';TYPE=CELL;TYPE=pref',
  ';X-2ND',
  ';FAX',
  ';TYPE=X-OTHER',
  ';X-P="a;b"',
];
const ENCODINGS = [
  '',
  '',
  '',
  ';ENCODING=QUOTED-PRINTABLE',
  ';CHARSET=UTF-8',
  ';QUOTED-PRINTABLE;CHARSET=ISO-8859-1',
  ';ENCODING=b',
];
const line = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...TYPES), fc.constantFrom(...ENCODINGS), text)
  .map(([name, types, encoding, value]) => {
    const escaped = value.replaceAll('\n', encoding.includes('QUOTED') ? '=0A=\n' : '\\n');
    return `${name}${types}${encoding}:${escaped.replace(/^(?:BEGIN|END):/gm, 'X:')}`;
  });
const foreign = fc
  .tuple(fc.constantFrom('2.1', '3.0', '4.0'), fc.array(line, { minLength: 1, maxLength: 12 }))
  .map(([used, lines]) => ['BEGIN:VCARD', `VERSION:${used}`, ...lines, 'END:VCARD', ''].join('\r\n'));

const withoutColor = ({ photo: _photo, ...others }: CardContact): object => others;

/** Version 2.1 cannot tell a backslash at the end of a part from one before a separator. */
const withoutBackslashes = (one: CardContact): CardContact =>
  JSON.parse(JSON.stringify(one).replaceAll('\\\\', '/')) as CardContact;

describe('cards of version 2.1', () => {
  it('lose nothing when they are written and read', async () => {
    await fc.assert(
      fc.asyncProperty(contact.map(withoutBackslashes), async (one) => {
        const text = await writeCard(overlayContact(undefined, one), '2.1');
        const [read] = await readAll(text);
        expect(readContact(read!.card!).contact).toEqual(one);
      }),
      { numRuns: FILES },
    );
  });
});

describe('ten thousand cards', () => {
  it('lose nothing when they are written, read, and told apart from broken ones', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(contact, version), { minLength: CARDS_IN_A_FILE, maxLength: CARDS_IN_A_FILE }),
        fc.integer({ min: 0, max: CARDS_IN_A_FILE - 1 }),
        fc.constantFrom(...BROKEN),
        async (contacts, at, broken) => {
          const cards = await Promise.all(
            contacts.map(([one, used]) => writeCard(overlayContact(undefined, one), used)),
          );
          for (const each of cards)
            for (const written of each.split('\r\n')) expect(Buffer.byteLength(written)).toBeLessThanOrEqual(75);
          const read = await readAll([...cards.slice(0, at), broken, ...cards.slice(at)].join(''));
          expect(read).toHaveLength(CARDS_IN_A_FILE + 1);
          expect(read[at]!.error).toBeDefined();
          const found = read.filter((_card, index) => index !== at).map(({ card }) => readContact(card!).contact);
          expect(found).toEqual(contacts.map(([one]) => one));
        },
      ),
      { numRuns: FILES },
    );
  });

  it('of other programs say the same after they are stored and written again, whatever stands in them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(foreign, { minLength: CARDS_IN_A_FILE, maxLength: CARDS_IN_A_FILE }),
        version,
        async (files, used) => {
          const first = await readAll(files.join(''));
          expect(first).toHaveLength(CARDS_IN_A_FILE);
          const written = await Promise.all(
            first.map(({ card }) => writeCard(overlayContact(card, readContact(card!).contact), used)),
          );
          const second = await readAll(written.join(''));
          for (const [index, { card }] of first.entries()) {
            expect(withoutColor(readContact(second[index]!.card!).contact)).toEqual(
              withoutColor(readContact(card!).contact),
            );
            const unknown = (one: ReadCard): string[] =>
              one
                .card!.properties.filter(({ name }) => /^(?:X-FOO|GEO)$/.test(name))
                .map((property) => JSON.stringify(property));
            expect(unknown(second[index]!)).toEqual(unknown(first[index]!));
          }
        },
      ),
      { numRuns: FILES },
    );
  });

  it('keep what they do not know when their contact changes', async () => {
    await fc.assert(
      fc.asyncProperty(foreign, contact, version, async (file, changed, used) => {
        const [before] = await readAll(`${file.replace('\r\n', '\r\nX-KEPT;A=b:c\r\n')}`);
        const written = await writeCard(overlayContact(before!.card, changed), used);
        const [after] = await readAll(written);
        expect(after!.card!.properties).toContainEqual(expect.objectContaining({ name: 'X-KEPT', value: 'c' }));
        const { texts } = readContact(after!.card!).contact;
        expect(texts).toEqual(changed.texts);
      }),
      { numRuns: FILES },
    );
  });
});
