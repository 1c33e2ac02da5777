import { foldInParts, omitForbidden } from '@groupware/icalendar';
import type { CardProperty } from './card';
import { formatHeader } from './content-line';
import { toVersion2Text } from './property-reader';

const LINE_OCTETS = 75;
/** Texts that need no encoding: version 2.1 knows no lines that go on but those. */
const PLAIN = /^[\t\x20-\x7e]{0,50}$/;
/** Types that may stand without their name. */
const BARE_TYPE = /^[\w-]+$/;

/** Writes a property as the parts of lines of version 2.1; none when its name is none. */
export function* formatVersion2(property: CardProperty): Generator<string, void, undefined> {
  const { type = [], label, ...parameters } = property.parameters;
  if (label && property.name === 'ADR')
    yield* formatVersion2({ ...property, name: 'LABEL', parameters: { type }, value: label.join(',') });
  const isBinary = parameters.encoding?.[0]?.toLowerCase() === 'b';
  const text = isBinary ? property.value : omitForbidden(toVersion2Text(property));
  const isQuoted = !isBinary && !PLAIN.test(text);
  const header = formatHeader({
    ...property,
    parameters: {
      ...parameters,
      ...(isBinary && { encoding: ['BASE64'] }),
      ...(isQuoted && { charset: ['UTF-8'], encoding: ['QUOTED-PRINTABLE'] }),
    },
  });
  if (header === undefined) return;
  const types = type.flatMap((each) => each.split(',')).filter((each) => BARE_TYPE.test(each));
  const start = header.replace(/^[^;:]+/, (name) => [name, ...types].join(';'));
  if (isQuoted) yield* toQuotedPrintable(start, text);
  else yield* foldInParts(`${start}${text}`);
  // An empty line ends what is in base64.
  if (isBinary) yield '\r\n';
}

/** Lines of quoted-printable text behind a header (RFC 2045 §6.7). */
function* toQuotedPrintable(header: string, text: string): Generator<string, void, undefined> {
  const octets = Buffer.from(text.replaceAll('\n', '\r\n'));
  let line = header;
  for (const [at, octet] of octets.entries()) {
    const isPlain = octet >= 0x20 && octet < 0x7f && octet !== 0x3d && !(octet === 0x20 && at === octets.length - 1);
    const encoded = `=${octet.toString(16).toUpperCase().padStart(2, '0')}`;
    if (line.length + (isPlain ? 1 : encoded.length) < LINE_OCTETS)
      line += isPlain ? String.fromCharCode(octet) : encoded;
    else {
      yield `${line}=\r\n`;
      // Encoded: text cannot look like the end of the card.
      line = encoded;
    }
  }
  yield `${line}\r\n`;
}
