import type { Card, CardProperty } from './card';
import { formatProperty } from './content-line';
import { toPlainNumber } from './older-forms';
import { toDataUri, toInlineBytes } from './photo';
import { formatVersion2 } from './version-2';

/** Versions that are written. */
export const WRITTEN_VERSIONS = ['2.1', '3.0', '4.0'] as const;
/** See {@link WRITTEN_VERSIONS}. */
export type WrittenVersion = (typeof WRITTEN_VERSIONS)[number];

const BYTES: ReadonlySet<string> = new Set(['PHOTO', 'LOGO', 'SOUND', 'KEY']);
/** Properties whose type `pref` became a parameter of its own. */
const PREFERRED: ReadonlySet<string> = new Set(['EMAIL', 'TEL', 'ADR', 'IMPP', 'URL']);
const DATES: ReadonlySet<string> = new Set(['BDAY', 'ANNIVERSARY', 'DEATHDATE']);

/**
 * Writes a card: UTF-8, CRLF, lines of at most 75 octets (vCard 2.1, RFC 2426, RFC 6350).
 * @param pause asked after every property, and after every part of a long one: writing goes on when what it answers is settled; never unless given
 */
export async function writeCard(
  card: Card,
  version: WrittenVersion,
  pause?: () => Promise<void> | undefined,
): Promise<string> {
  const names = new Set(card.properties.map(({ name }) => name));
  const properties = [
    ...(names.has('FN') ? [] : [{ name: 'FN', parameters: {}, value: '' }]),
    ...(version === '4.0' || names.has('N') ? [] : [{ name: 'N', parameters: {}, value: ';;;;' }]),
    ...card.properties,
  ];
  const lines: string[] = [];
  for (const property of properties) {
    for (const part of FORMATS[version](property)) {
      lines.push(part);
      const pausing = pause?.();
      if (pausing) await pausing;
    }
  }
  return `BEGIN:VCARD\r\nVERSION:${version}\r\n${lines.join('')}END:VCARD\r\n`;
}

const FORMATS: Readonly<Record<WrittenVersion, (property: CardProperty) => Iterable<string>>> = {
  '2.1': (property) => formatVersion2(toVersion3(property)),
  '3.0': (property) => formatProperty(toVersion3(property)),
  '4.0': (property) => formatProperty(toVersion4(property)),
};

function toVersion4(property: CardProperty): CardProperty {
  if (BYTES.has(property.name)) return toDataUri(property);
  if (DATES.has(property.name) && /^\d{4}-\d\d-\d\d$/.test(property.value))
    return { ...property, value: property.value.replaceAll('-', '') };
  const types = property.parameters.type;
  if (!PREFERRED.has(property.name) || !types?.some((type) => type.toLowerCase() === 'pref')) return property;
  const { type: _type, ...parameters } = property.parameters;
  const others = types.filter((type) => type.toLowerCase() !== 'pref');
  return {
    ...property,
    parameters: { ...(others.length > 0 && { type: others }), pref: ['1'], ...parameters },
  };
}

function toVersion3(property: CardProperty): CardProperty {
  if (BYTES.has(property.name)) return toInlineBytes(property);
  if (PREFERRED.has(property.name)) return toTypedPreference(toPlainNumber(property));
  if (property.name === 'ANNIVERSARY') return { ...property, name: 'X-ANNIVERSARY' };
  if (property.name === 'KIND' || property.name === 'MEMBER')
    return { ...property, name: `X-ADDRESSBOOKSERVER-${property.name}` };
  return property;
}

/** The parameter `PREF=1` of version 4.0 as the type that it was before. */
function toTypedPreference(property: CardProperty): CardProperty {
  const { pref, type = [], ...parameters } = property.parameters;
  if (pref?.[0] !== '1') return property;
  const isNamed = type.some((each) => each.toLowerCase() === 'pref');
  return { ...property, parameters: { type: isNamed ? type : [...type, 'pref'], ...parameters } };
}
