/** [MS-OXRTFCP] 2.1.3.1.1: what a dictionary begins with. */
const FIRST_WORDS = Buffer.from(
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans Serif' +
    'SymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx',
  'latin1',
);
const HEADER_BYTES = 16;
const COMPRESSED = 0x75465a4c;
const UNCOMPRESSED = 0x414c454d;
const DICTIONARY_BYTES = 4096;
/** So much of a document is unpacked, bytes. */
const MAX_BYTES = 10 * 1024 * 1024;

/**
 * The document in Rich Text Format that Outlook compressed ([MS-OXRTFCP] 2.2.2); what is broken ends it. Own code, as no library
 * limits how much comes out.
 */
export function decompressRtf(bytes: Uint8Array): Buffer {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (source.length < HEADER_BYTES) return Buffer.alloc(0);
  const size = Math.min(source.readUInt32LE(4), MAX_BYTES);
  const kind = source.readUInt32LE(8);
  if (kind === UNCOMPRESSED) return source.subarray(HEADER_BYTES, HEADER_BYTES + size);
  return kind === COMPRESSED ? decompress(source, size) : Buffer.alloc(0);
}

function decompress(source: Buffer, size: number): Buffer {
  const out = Buffer.alloc(size);
  const dictionary = Buffer.alloc(DICTIONARY_BYTES, ' ');
  FIRST_WORDS.copy(dictionary);
  let next = FIRST_WORDS.length;
  let written = 0;
  const write = (byte: number): void => {
    if (written < size) out[written++] = byte;
    dictionary[next] = byte;
    next = (next + 1) % DICTIONARY_BYTES;
  };
  // A byte of flags, the lowest first, stands before eight of: a byte, or a place in the dictionary with a length.
  for (let at = HEADER_BYTES; at < source.length && written < size;) {
    const flags = source[at++]!;
    for (let bit = 0; bit < 8 && at < source.length; bit++) {
      if ((flags & (1 << bit)) === 0) write(source[at++]!);
      else {
        if (at + 1 >= source.length) return out.subarray(0, written);
        const reference = source.readUInt16BE(at);
        at += 2;
        const from = reference >> 4;
        if (from === next) return out.subarray(0, written);
        for (let step = 0; step < (reference & 0xf) + 2; step++) write(dictionary[(from + step) % DICTIONARY_BYTES]!);
      }
    }
  }
  return out.subarray(0, written);
}
