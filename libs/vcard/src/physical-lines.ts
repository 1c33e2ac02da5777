import { TextDecoder } from 'node:util';
/** One line of a file as it stands there, its octets one per character. */
export interface PhysicalLine {
  readonly octets: string;
  /** From 1. */
  readonly line: number;
}

const UTF8_MARK = '\u00ef\u00bb\u00bf';

/** Cuts a stream into lines ended by CRLF, LF or CR. UTF-16 with a byte order mark is read as UTF-8. */
export async function* readPhysicalLines(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<PhysicalLine, void, undefined> {
  let decoder: TextDecoder | undefined;
  let rest = '';
  let line = 0;
  let hasBegun = false;
  let isAfterReturn = false;
  const toOctets = (chunk: Uint8Array): string =>
    decoder
      ? Buffer.from(decoder.decode(chunk, { stream: true }), 'utf8').toString('latin1')
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
  for await (const chunk of source) {
    let text: string;
    if (hasBegun) text = toOctets(chunk);
    else {
      rest += toOctets(chunk);
      if (rest.length < 3) continue;
      hasBegun = true;
      text = rest;
      rest = '';
      if (text.startsWith(UTF8_MARK)) text = text.slice(UTF8_MARK.length);
      else if (/^(?:\u00ff\u00fe|\u00fe\u00ff)/.test(text)) {
        decoder = new TextDecoder(text.startsWith('\u00ff') ? 'utf-16le' : 'utf-16be');
        text = toOctets(Buffer.from(text, 'latin1'));
      }
    }
    const ends = /[\r\n]/g;
    let from = 0;
    if (isAfterReturn && text !== '') {
      isAfterReturn = false;
      if (text[0] === '\n') from = 1;
    }
    ends.lastIndex = from;
    while (ends.test(text)) {
      const end = ends.lastIndex - 1;
      line += 1;
      yield { octets: rest + text.slice(from, end), line };
      rest = '';
      from = end + 1;
      if (text[end] === '\r') {
        if (from === text.length) isAfterReturn = true;
        else if (text[from] === '\n') from += 1;
      }
      ends.lastIndex = from;
    }
    rest += text.slice(from);
  }
  if (rest.startsWith(UTF8_MARK) && !hasBegun) rest = rest.slice(UTF8_MARK.length);
  if (rest !== '') yield { octets: rest, line: line + 1 };
}
