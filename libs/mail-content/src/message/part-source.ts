/** A part of a mail as its MIME structure tells it, before anything of its content is read. */
export interface MessagePart {
  /** Part number of RFC 3501 §6.4.5; empty for the multipart that is the whole mail. */
  id: string;
  /** Media type in lower case, without parameters. */
  type: string;
  /** Parameters of the media type, with names in lower case. */
  parameters: Readonly<Record<string, string>>;
  /** Content-Transfer-Encoding in lower case. */
  encoding: string;
  /** Bytes with their transfer encoding. */
  size: number;
  /** Content-Disposition in lower case. */
  disposition?: string;
  /** Name of the file as the header has it. */
  filename?: string;
  /** Content-ID without brackets. */
  cid?: string;
  /** Parts of a multipart; of message/rfc822 the one structure of the mail within. */
  children: readonly MessagePart[];
}

/** A mail whose parts are read one by one, from a server or from memory. */
export interface PartSource {
  readonly structure: MessagePart;
  /** Header lines of the mail, or of the mail within the part of that number. */
  fetchHeader(id?: string): Promise<Buffer>;
  /** Content of a part as it was sent, with its transfer encoding: from `start` on, so many bytes when they are enough. */
  fetchPart(id: string, maxBytes?: number, start?: number): AsyncIterable<Buffer>;
}

/** A part of a mail as a source of its own; of a mail within the mail its content. */
export function selectPart(source: PartSource, part: MessagePart): PartSource {
  const message = part.type === 'message/rfc822' ? part.children[0] : undefined;
  const { disposition: _disposition, filename: _filename, ...content } = part;
  return {
    structure: message ?? content,
    fetchHeader: async (id = '') =>
      id === '' && !message ? Buffer.alloc(0) : source.fetchHeader(id === '' ? part.id : id),
    fetchPart: (id, maxBytes, start) => source.fetchPart(id, maxBytes, start),
  };
}

/** A BODYSTRUCTURE as IMAP clients tell it; part numbers are made anew, for those of mails within mails differ. */
export interface BodyStructure {
  type?: string;
  parameters?: Record<string, string>;
  id?: string;
  encoding?: string;
  size?: number;
  disposition?: string;
  dispositionParameters?: Record<string, string>;
  childNodes?: BodyStructure[];
}

/** Structures deeper than this are not read further: their parts are files. */
const MAX_DEPTH = 50;
/** Most parts of one mail; further ones are left out. */
const MAX_PARTS = 2_000;

/** Transfer encodings that a mail within a mail may have (RFC 2046, section 5.2.1). */
const IDENTITY = new Set(['', '7bit', '8bit', 'binary']);

/** True for a mail within a mail that is encoded all the same, as some programs write it. */
export const isEncodedMessage = ({ type, encoding }: Pick<MessagePart, 'type' | 'encoding'>): boolean =>
  type === 'message/rfc822' && !IDENTITY.has(encoding);

/**
 * The structure of a mail by the BODYSTRUCTURE of a server.
 * @param within number of the part that the mail is in
 */
export function fromBodyStructure(root: BodyStructure, within = ''): MessagePart {
  let parts = 0;
  const read = (node: BodyStructure, id: string, depth: number): MessagePart => {
    parts++;
    const type = toMediaType(node.type);
    const encoding = node.encoding?.toLowerCase() ?? '7bit';
    // Of an encoded mail servers tell what they take for its parts.
    const isOpen = depth < MAX_DEPTH && !isEncodedMessage({ type, encoding });
    const nodes = isOpen ? (node.childNodes ?? []).slice(0, Math.max(0, MAX_PARTS - parts)) : [];
    const filename = node.dispositionParameters?.['filename'] ?? node.parameters?.['name'];
    return {
      id,
      type,
      parameters: lowerCaseKeys(node.parameters),
      encoding,
      size: node.size ?? 0,
      ...(node.disposition ? { disposition: node.disposition.toLowerCase() } : {}),
      ...(filename ? { filename } : {}),
      ...(node.id ? { cid: node.id.trim().replace(/^<|>$/g, '') } : {}),
      children: nodes.map((child, at) => read(child, childId(type, id, child, at), depth + 1)),
    };
  };
  return read(root, within ? childId('message/rfc822', within, root, 0) : isMultipart(root) ? '' : '1', 0);
}

/** The media type as a part names it; text without a kind is plain text (RFC 2045, section 5.2), all else bytes. */
function toMediaType(named = 'text/plain'): string {
  const type = named.toLowerCase();
  if (/^[^/]+\/[^/]/.test(type)) return type;
  return /^(?:text)?\/?$/.test(type) ? 'text/plain' : 'application/octet-stream';
}

function childId(type: string, id: string, child: BodyStructure, at: number): string {
  if (type === 'message/rfc822') return isMultipart(child) ? id : `${id}.1`;
  return id ? `${id}.${at + 1}` : String(at + 1);
}

function isMultipart(node: BodyStructure): boolean {
  return node.type?.toLowerCase().startsWith('multipart/') === true;
}

function lowerCaseKeys(parameters: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name.toLowerCase(), value]));
}
