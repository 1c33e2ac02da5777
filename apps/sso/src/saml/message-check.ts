import { parser } from 'sax';

/** Most levels of elements: messages of providers have a dozen. */
const MAX_DEPTH = 60;
/** Most tags. */
const MAX_TAGS = 4_000;

/**
 * Whether a message may be given to the parser at all: no document type, entities, instructions or CDATA, bounded in depth and number of
 * elements. One pass over the text.
 */
export function isHarmlessXml(xml: string): boolean {
  let depth = 0;
  let tags = 0;
  for (let at = xml.indexOf('<'); at >= 0; at = xml.indexOf('<', at + 1)) {
    const next = xml[at + 1];
    if (next === '!') {
      if (!xml.startsWith('<!--', at)) return false;
      at = xml.indexOf('-->', at + 4);
      if (at < 0) return false;
      continue;
    }
    if (next === '?') {
      if (at !== 0 || !xml.startsWith('<?xml ')) return false;
      continue;
    }
    const end = xml.indexOf('>', at);
    if (end < 0 || ++tags > MAX_TAGS) return false;
    if (next === '/') depth -= 1;
    else if (xml[end - 1] !== '/') depth += 1;
    if (depth > MAX_DEPTH) return false;
  }
  return true;
}

/** Whether a signature of the message is made with SHA-1 or MD5, whose collisions can be found. */
export const hasWeakSignature = (xml: string): boolean =>
  /<(?:\w+:)?SignatureMethod[^>]+Algorithm\s*=\s*["'][^"']*(?:sha1|md5|hmac)["']/i.test(xml);

/**
 * Whether a message names an address as the one that it was sent to (SAML core, section 3.2.1): the library does not look. One that names
 * none is for nobody: whoever takes it elsewhere could hand it on.
 */
export function isSentTo(xml: string, address: string): boolean {
  const reader = parser(true);
  let destination: string | undefined;
  reader.onopentag = ({ attributes }) => (destination ??= String(attributes.Destination ?? ''));
  try {
    reader.write(xml).close();
  } catch {
    return false;
  }
  return address !== '' && destination === address;
}
