/** A message of lines, with the line ends of mails; characters are bytes. */
export function message(...lines: string[]): Buffer {
  return Buffer.from(lines.join('\r\n'), 'latin1');
}

/** A multipart of parts, each with its header lines. */
export function multipart(subtype: string, parts: string[][], boundary = `b-${subtype}`): string[] {
  return [
    `Content-Type: multipart/${subtype}; boundary="${boundary}"`,
    '',
    ...parts.flatMap((part) => [`--${boundary}`, ...part]),
    `--${boundary}--`,
    '',
  ];
}

/** A part of text. */
export function text(content: string, type = 'text/plain', ...headers: string[]): string[] {
  return [`Content-Type: ${type}; charset=utf-8`, ...headers, '', content];
}

/** A file in base64. */
export function file(filename: string, type: string, content: string | Buffer, ...headers: string[]): string[] {
  return [
    `Content-Type: ${type}`,
    `Content-Disposition: attachment; filename="${filename}"`,
    'Content-Transfer-Encoding: base64',
    ...headers,
    '',
    Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n'),
  ];
}

/** A part in Outlook's own format with files and a body, as [MS-OXTNEF] writes them. */
export function tnef(
  files: { name: string; content: string }[],
  body: { text?: string; compressedRtf?: Buffer } = { text: 'the text' },
): Buffer {
  const attribute = (level: number, id: number, data: Buffer) => {
    const head = Buffer.alloc(9);
    head.writeUInt8(level, 0);
    head.writeUInt32LE(id, 1);
    head.writeUInt32LE(data.length, 5);
    const checksum = Buffer.alloc(2);
    checksum.writeUInt16LE(data.reduce((sum, byte) => sum + byte, 0) & 0xffff);
    return Buffer.concat([head, data, checksum]);
  };
  const signature = Buffer.alloc(6);
  signature.writeUInt32LE(0x223e9f78);
  return Buffer.concat([
    signature,
    attribute(1, 0x00089006, Buffer.from([0, 0, 1, 0])),
    ...(body.text === undefined ? [] : [attribute(1, 0x0002800c, Buffer.from(`${body.text}\0`))]),
    ...(body.compressedRtf ? [attribute(1, 0x00069003, binaryProperty(0x1009, body.compressedRtf))] : []),
    ...files.flatMap(({ name, content }) => [
      attribute(2, 0x00069002, Buffer.alloc(14)),
      attribute(2, 0x00018010, Buffer.from('SHORT~1.TXT\0')),
      attribute(2, 0x0006800f, Buffer.from(content)),
      attribute(2, 0x00069005, longFilename(name)),
    ]),
  ]);
}

const longFilename = (name: string): Buffer => toProperty(0x001f, 0x3707, Buffer.from(`${name}\0`, 'utf16le'));
const binaryProperty = (id: number, value: Buffer): Buffer => toProperty(0x0102, id, value);

function toProperty(type: number, id: number, value: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(1, 0);
  head.writeUInt16LE(type, 4);
  head.writeUInt16LE(id, 6);
  head.writeUInt32LE(1, 8);
  head.writeUInt32LE(value.length, 12);
  return Buffer.concat([head, value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
}

/** A file in the lines that `uuencode` writes; characters are bytes. */
export function uuencode(name: string, content: string): string {
  const character = (value: number) => String.fromCharCode(value === 0 ? 0x60 : value + 0x20);
  const lines = content.match(/.{1,45}/gs) ?? [];
  const encoded = lines.map((line) => {
    const groups = line.match(/.{1,3}/gs)!.map((group) => {
      const [a, b, c] = Buffer.from(group.padEnd(3, '\0'), 'latin1');
      const bits = (a! << 16) | (b! << 8) | c!;
      return [18, 12, 6, 0].map((shift) => character((bits >> shift) & 63)).join('');
    });
    return character(line.length) + groups.join('');
  });
  return ['begin 644 ' + name, ...encoded, '`', 'end', ''].join('\n');
}
