const codeOf = (character: string): number => character.charCodeAt(0);
const [BACKSLASH, NEWLINE, RETURN, LETTER_N, CAPITAL_N] = [...'\\\n\rnN'].map(codeOf) as [
  number,
  number,
  number,
  number,
  number,
];
const TEXT_SPECIALS: ReadonlySet<number> = new Set([...'\\,;'].map(codeOf));
const LINE_SPECIALS: ReadonlySet<number> = new Set([BACKSLASH]);

/** A text in the notation of values (RFC 6350 §3.4). */
export const escapeText = (text: string): string => (/[\\,;\r\n]/.test(text) ? escape(text, TEXT_SPECIALS) : text);

/** A text whose commas and semicolons have no meaning, such as an address of the web. */
export const escapeLine = (text: string): string => (/[\\\r\n]/.test(text) ? escape(text, LINE_SPECIALS) : text);

/** Code units are copied one by one: texts may consist of what must be escaped, and replacements would cost much more each. */
function escape(text: string, specials: ReadonlySet<number>): string {
  const from = toCodeUnits(text);
  const to = new Uint16Array(2 * from.length);
  let length = 0;
  for (let at = 0; at < from.length; at += 1) {
    const code = from[at]!;
    if (code === NEWLINE || code === RETURN) {
      to[length++] = BACKSLASH;
      to[length++] = LETTER_N;
      if (code === RETURN && from[at + 1] === NEWLINE) at += 1;
    } else {
      if (specials.has(code)) to[length++] = BACKSLASH;
      to[length++] = code;
    }
  }
  return toText(to, length);
}

/** The text of a value. */
export function unescapeText(value: string): string {
  if (!value.includes('\\')) return value;
  const codes = toCodeUnits(value);
  let length = 0;
  for (let at = 0; at < codes.length; at += 1) {
    const isEscaped = codes[at] === BACKSLASH && at + 1 < codes.length;
    if (isEscaped) at += 1;
    const code = codes[at]!;
    codes[length++] = isEscaped && (code === LETTER_N || code === CAPITAL_N) ? NEWLINE : code;
  }
  return toText(codes, length);
}

function toCodeUnits(text: string): Uint16Array {
  const codes = new Uint16Array(text.length);
  Buffer.from(codes.buffer).write(text, 'utf16le');
  return codes;
}

const toText = ({ buffer }: Uint16Array, length: number): string =>
  Buffer.from(buffer, 0, 2 * length).toString('utf16le');

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
