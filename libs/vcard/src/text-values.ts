const ESCAPE = /[\\,;\n]/g;
const UNESCAPE = /\\(.)/gs;

/** A text in the notation of values (RFC 6350 §3.4). */
export const escapeText = (text: string): string =>
  normalizeNewlines(text).replace(ESCAPE, (character) => (character === '\n' ? '\\n' : `\\${character}`));

/** A text whose commas and semicolons have no meaning, such as an address of the web. */
export const escapeLine = (text: string): string =>
  normalizeNewlines(text).replace(/[\\\n]/g, (character) => (character === '\n' ? '\\n' : '\\\\'));

/** The text of a value. */
export const unescapeText = (value: string): string =>
  value.includes('\\')
    ? value.replace(UNESCAPE, (_match, character: string) => (/n/i.test(character) ? '\n' : character))
    : value;

const normalizeNewlines = (text: string): string => text.replace(/\r\n?/g, '\n');

/** The parts of a value between separators that are not escaped, still escaped. */
export function splitValue(value: string, separator: ';' | ','): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < value.length; at += 1) {
    if (value[at] === '\\') at += 1;
    else if (value[at] === separator) {
      parts.push(value.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, value.slice(from)];
}

/** The texts of a structured value such as N. */
export const readStructured = (value: string): string[] => splitValue(value, ';').map(unescapeText);

/** The texts of a list such as CATEGORIES. */
export const readList = (value: string): string[] => splitValue(value, ',').map(unescapeText);
