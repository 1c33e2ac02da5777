import type { CardProperty } from './card';

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)?((?:;[^;,]+)*?)(;base64)?,(.*)$/is;

/** Longest picture in percent notation, characters: nearly all are in base64. */
const MAX_PERCENT_NOTATION = 65_536;

/** The bytes of a picture that stands in a card; undefined for a broken one, and for one that lies elsewhere: nothing is fetched. */
export function readPhoto({ parameters, value }: CardProperty): Uint8Array | undefined {
  const data = DATA_URI.exec(value);
  if (data) {
    const content = data[4]!;
    if (!data[3] && content.length > MAX_PERCENT_NOTATION) return undefined;
    const bytes = data[3] ? Buffer.from(content, 'base64') : decodePercentNotation(content);
    return bytes && bytes.length > 0 ? bytes : undefined;
  }
  if (parameters.encoding?.[0]?.toLowerCase() !== 'b') return undefined;
  const bytes = Buffer.from(value, 'base64');
  return bytes.length > 0 ? bytes : undefined;
}

/** The bytes of percent notation (RFC 3986, section 2.1), which are of no character set; undefined where it is broken. */
function decodePercentNotation(text: string): Buffer | undefined {
  if (!/^(?:[\x20-\x24\x26-\x7e]|%[\da-f]{2})*$/i.test(text)) return undefined;
  const bytes = text.replaceAll(/%(..)/g, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

/** Bytes as version 4.0 has them: an address that holds them. */
export function toDataUri(property: CardProperty): CardProperty {
  const { encoding, type, ...parameters } = property.parameters;
  if (encoding?.[0]?.toLowerCase() !== 'b') return property;
  const [kind] = type ?? [];
  const mediaType =
    kind === undefined
      ? 'application/octet-stream'
      : kind.includes('/')
        ? kind.toLowerCase()
        : `image/${kind.toLowerCase()}`;
  return { ...property, parameters, value: `data:${mediaType};base64,${property.value}` };
}

/** Bytes as version 3.0 has them: base64 with the type as a parameter. */
export function toInlineBytes(property: CardProperty): CardProperty {
  const data = DATA_URI.exec(property.value);
  if (!data?.[3]) return property;
  const { value: _kind, mediatype: _mediaType, ...parameters } = property.parameters;
  const kind = data[1]?.replace(/^image\//i, '').toUpperCase();
  return {
    ...property,
    parameters: { ...parameters, encoding: ['b'], ...(kind && { type: [kind] }) },
    value: data[4]!,
  };
}
