/** A file or text within a TNEF part (winmail.dat). */
export interface TnefFile {
  filename: string;
  content: Buffer;
  /** Media type, when the part tells one. */
  type?: string;
}

/** Content of a TNEF part. */
export interface TnefContent {
  files: TnefFile[];
  /** Body as HTML, as compressed RTF ([MS-OXRTFCP]), and as text, as far as there is one. */
  html?: Buffer;
  compressedRtf?: Buffer;
  text?: Buffer;
}

/** [MS-OXTNEF] 2.1.3: signature, levels, and the attributes that are read. */
const SIGNATURE = 0x223e9f78;
const LEVEL_ATTACHMENT = 2;
const ATTRIBUTES = {
  attachRenderData: 0x00069002,
  attachTitle: 0x00018010,
  attachData: 0x0006800f,
  attachment: 0x00069005,
  messageProperties: 0x00069003,
  body: 0x0002800c,
} as const;
/** [MS-OXPROPS]: properties that are read. */
const PROPERTIES = {
  longFilename: 0x3707,
  filename: 0x3704,
  displayName: 0x3001,
  mimeTag: 0x370e,
  data: 0x3701,
  bodyText: 0x1000,
  compressedRtf: 0x1009,
  bodyHtml: 0x1013,
} as const;
const MAX_FILES = 500;
const MAX_PROPERTIES = 2_000;
const MAX_VALUES = 10_000;

/** Reads a TNEF part; undefined when it is none. What is broken ends the reading, what came before is kept. */
export function parseTnef(bytes: Buffer): TnefContent | undefined {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== SIGNATURE) return undefined;
  const content: TnefContent = { files: [] };
  let file: Partial<TnefFile> | undefined;
  const endFile = () => {
    if (file?.content && content.files.length < MAX_FILES)
      content.files.push({ ...file, filename: file.filename ?? '', content: file.content });
    file = undefined;
  };
  // Level, attribute, length, data, checksum ([MS-OXTNEF] 2.1.3.1).
  for (let at = 6; at + 9 <= bytes.length;) {
    const level = bytes.readUInt8(at);
    const attribute = bytes.readUInt32LE(at + 1);
    const length = bytes.readUInt32LE(at + 5);
    const data = bytes.subarray(at + 9, at + 9 + length);
    if (data.length < length) break;
    at += 9 + length + 2;
    if (level === LEVEL_ATTACHMENT && attribute === ATTRIBUTES.attachRenderData) {
      endFile();
      file = {};
    } else if (level === LEVEL_ATTACHMENT && file) readAttachment(file, attribute, data);
    else if (attribute === ATTRIBUTES.body) content.text ??= trimNull(data);
    else if (attribute === ATTRIBUTES.messageProperties) readBody(content, data);
  }
  endFile();
  return content;
}

function readAttachment(file: Partial<TnefFile>, attribute: number, data: Buffer): void {
  if (attribute === ATTRIBUTES.attachTitle) file.filename ??= trimNull(data).toString('latin1');
  if (attribute === ATTRIBUTES.attachData) file.content = data;
  if (attribute !== ATTRIBUTES.attachment) return;
  const properties = readProperties(data);
  const name =
    properties.get(PROPERTIES.longFilename) ??
    properties.get(PROPERTIES.filename) ??
    properties.get(PROPERTIES.displayName);
  if (name) file.filename = name.text;
  const type = properties.get(PROPERTIES.mimeTag)?.text;
  if (type) file.type = type;
  const bytes = properties.get(PROPERTIES.data)?.bytes;
  if (bytes) file.content ??= bytes;
}

function readBody(content: TnefContent, data: Buffer): void {
  const properties = readProperties(data);
  const html = properties.get(PROPERTIES.bodyHtml)?.bytes;
  const text = properties.get(PROPERTIES.bodyText);
  const rtf = properties.get(PROPERTIES.compressedRtf)?.bytes;
  if (html) content.html = html;
  if (rtf) content.compressedRtf = rtf;
  if (text) content.text = Buffer.from(text.text);
}

interface Value {
  bytes: Buffer;
  text: string;
}

/** Values of a list of properties ([MS-OXTNEF] 2.1.3.4): the first of each that has several. */
function readProperties(data: Buffer): Map<number, Value> {
  const properties = new Map<number, Value>();
  if (data.length < 4) return properties;
  const count = Math.min(data.readUInt32LE(0), MAX_PROPERTIES);
  let at = 4;
  for (let index = 0; index < count && at + 4 <= data.length; index++) {
    const type = data.readUInt16LE(at);
    const id = data.readUInt16LE(at + 2);
    at += 4;
    if (id >= 0x8000) {
      const next = skipName(data, at);
      if (next === undefined) return properties;
      at = next;
    }
    const value = readValue(data, at, type);
    if (!value) return properties;
    if (value.first && !properties.has(id)) properties.set(id, value.first);
    at = value.end;
  }
  return properties;
}

/** Named properties: a GUID, then a number or a name. */
function skipName(data: Buffer, at: number): number | undefined {
  if (at + 24 > data.length) return undefined;
  const kind = data.readUInt32LE(at + 16);
  const value = data.readUInt32LE(at + 20);
  return at + 24 + (kind === 0 ? 0 : toPaddedLength(value));
}

function readValue(data: Buffer, at: number, propertyType: number): { first?: Value; end: number } | undefined {
  const isMultiple = (propertyType & 0x1000) !== 0;
  const type = propertyType & 0x0fff;
  const isVariable = type === 0x0d || type === 0x1e || type === 0x1f || type === 0x102;
  let count = 1;
  if (isMultiple || isVariable) {
    if (at + 4 > data.length) return undefined;
    count = data.readUInt32LE(at);
    at += 4;
  }
  if (count > MAX_VALUES) return undefined;
  let first: Value | undefined;
  for (let index = 0; index < count; index++) {
    let length = fixedSize(type);
    if (length === undefined) {
      if (!isVariable || at + 4 > data.length) return undefined;
      length = data.readUInt32LE(at);
      at += 4;
    }
    if (at + length > data.length) return undefined;
    const bytes = data.subarray(at, at + length);
    first ??= {
      bytes,
      text: type === 0x1f ? bytes.toString('utf16le').replace(/(?<!\0)\0+$/, '') : trimNull(bytes).toString('latin1'),
    };
    at += isVariable ? toPaddedLength(length) : length;
  }
  return { ...(first ? { first } : {}), end: at };
}

/** Bytes of a value of a type with a fixed size; values of two bytes take four. */
function fixedSize(type: number): number | undefined {
  switch (type) {
    case 0x02:
    case 0x03:
    case 0x04:
    case 0x0a:
    case 0x0b:
      return 4;
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x14:
    case 0x40:
      return 8;
    case 0x48:
      return 16;
    default:
      return undefined;
  }
}

function toPaddedLength(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function trimNull(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}
