const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Splits the text of a well-formed JSON list into those of its elements, which are not copied. */
export function splitJsonList(text: Uint8Array): Uint8Array[] {
  const elements: Uint8Array[] = [];
  let depth = 0;
  let start = 1;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at]!;
    if (byte === QUOTE) at = endOfString(text, at);
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    const isEnd = depth === 0 && at > start;
    if (isEnd || (depth === 1 && byte === COMMA)) {
      elements.push(text.subarray(start, at));
      start = at + 1;
    }
  }
  return elements;
}

/** Position of the quote that ends a string. */
function endOfString(text: Uint8Array, opening: number): number {
  let at = opening + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
