const WORD = /=\?([A-Za-z0-9_.-]+)(?:\*[A-Za-z0-9-]*)?\?([bBqQ])\?([^?\s]*)\?=/g;

interface Word {
  readonly charset: string;
  readonly bytes: Buffer;
  readonly raw: string;
}

function bytesOf(encoding: string, text: string): Buffer {
  if (/^b$/i.test(encoding)) return Buffer.from(text, 'base64');
  const parts = text.replaceAll('_', ' ').split(/=([0-9A-Fa-f]{2})/);
  return Buffer.concat(
    parts.map((part, index) => (index % 2 === 1 ? Buffer.from(part, 'hex') : Buffer.from(part, 'latin1'))),
  );
}

/** Words of one charset in a row are one text: encoders cut characters of several bytes in two. */
function textOf(words: readonly Word[]): string {
  const bytes = Buffer.concat(words.map((word) => word.bytes));
  try {
    return new TextDecoder(words[0]!.charset).decode(bytes);
  } catch {
    // An unknown charset: what came is all there is.
    return words.map((word) => word.raw).join(' ');
  }
}

/** Decodes the encoded words of a header (RFC 2047); everything else stays as it is. */
export function decodeWords(text: string): string {
  let result = '';
  let end = 0;
  let run: Word[] = [];
  const flush = () => {
    if (run.length > 0) result += textOf(run);
    run = [];
  };
  for (const match of text.matchAll(WORD)) {
    const between = text.slice(end, match.index);
    const word = { charset: match[1]!.toLowerCase(), bytes: bytesOf(match[2]!, match[3]!), raw: match[0] };
    // White space between encoded words means nothing (section 6.2).
    const follows = run.length > 0 && /^\s*$/.test(between);
    if (!follows || run[0]!.charset !== word.charset) flush();
    if (!follows) result += between;
    run.push(word);
    end = match.index + match[0].length;
  }
  flush();
  return result + text.slice(end);
}
