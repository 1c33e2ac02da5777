import { FileReply, type EdgeRequest } from '@groupware/contracts';
import {
  decodeTransferEncoding,
  filenameOf,
  findPart,
  makeFilename,
  markupOf,
  MessageError,
  measurePart,
  openAttachment,
  readPartRange,
  type MessagePart,
  type PartLayout,
} from '@groupware/mail-content';
import { Clock, isSameVersion, rangeOf } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { OpenedMail } from './opened-mails';

/** A file of a mail. */
export interface PartFile {
  readonly filename: string;
  readonly type: string;
  /** Number of the part, or of the file within one. */
  readonly id: string;
  /** Absent for files within other parts. */
  readonly part?: MessagePart;
  readonly open: () => AsyncIterable<Buffer>;
}

/** Parts never change (RFC 3501, section 2.3.1.1), but folders are made anew under their names. */
export const CACHE_RULE = 'private, max-age=31536000';
/** The life of {@link CACHE_RULE}, ms. */
const CACHED_MS = 31_536_000_000;
/** Layouts of parts that are remembered: clients ask for one range after the other. */
const MAX_LAYOUTS = 2_000;

/** Files of mails as answers. */
@Injectable()
export class PartFiles {
  private readonly layouts = new LRUCache<string, PartLayout>({ max: MAX_LAYOUTS });

  constructor(private readonly clock: Clock) {}

  /** When copies of a file end, as a date of HTTP. */
  getExpiry(): string {
    return new Date(this.clock.now() + CACHED_MS).toUTCString();
  }

  /** Finds a file by part number or Content-ID; undefined when there is none. */
  async findFile(mail: OpenedMail, wanted: { id: string } | { cid: string }): Promise<PartFile | undefined> {
    const { source } = mail;
    const part = findPart(source.structure, wanted);
    if (part)
      return {
        filename: filenameOf(part),
        type: part.type,
        id: part.id,
        part,
        open: () => decodeTransferEncoding(source.fetchPart(part.id), part.encoding),
      };
    try {
      const { filename, type, content } = await openAttachment(source, wanted);
      return { filename, type, id: 'id' in wanted ? wanted.id : wanted.cid, open: () => content };
    } catch (error) {
      if (error instanceof MessageError && error.reason === 'noSuchPart') return undefined;
      throw error;
    }
  }

  /** The answer with a file, or with the range of it that the request names. */
  async createReply(
    mail: OpenedMail,
    file: PartFile,
    edge: EdgeRequest | undefined,
    { inline, contentType = typeOf(file) }: { readonly inline: boolean; readonly contentType?: string },
  ): Promise<FileReply> {
    const { part, filename: name } = file;
    const etag = mail.tagOf(file.id);
    const headers = { ETag: etag, 'Cache-Control': CACHE_RULE, Expires: this.getExpiry() };
    const shown = { reference: '', name, contentType, inline };
    const layout = part && isIdentity(part) ? { sizeBytes: part.size } : this.layouts.get(etag);
    const { range: wanted, 'if-range': version } = edge?.headers ?? {};
    if (!part || wanted === undefined || !isSameVersion(version, etag))
      return new FileReply({ ...shown, ...(layout ? { sizeBytes: layout.sizeBytes } : {}) }, { headers }, file.open());
    const measured = layout ?? (await measurePart(mail.source, part));
    this.layouts.set(etag, measured);
    const { sizeBytes } = measured;
    const range = rangeOf(wanted, sizeBytes);
    if (range === 'unsatisfiable')
      return new FileReply(
        { ...shown, sizeBytes: 0 },
        { status: 416, headers: { 'Content-Range': `bytes */${sizeBytes}` } },
        none(),
      );
    if (!range) return new FileReply({ ...shown, sizeBytes }, { headers }, file.open());
    const content = readPartRange(mail.source, part, measured, range);
    return new FileReply({ ...shown, sizeBytes, range }, { headers }, content);
  }
}

/** A charset as it may stand in a header of HTTP; US-ASCII is what servers tell of texts that name none. */
const CHARSET = /^(?!us-ascii$)[\w.+-]{1,40}$/i;

/** The type of a file; that of a text has the charset by which its bytes are read. */
function typeOf({ type, part }: PartFile): string {
  const charset = part?.parameters['charset'];
  return type.startsWith('text/') && charset !== undefined && CHARSET.test(charset)
    ? `${type}; charset=${charset}`
    : type;
}

/** Files of a mail: parts that are no text of it. */
export function listFileParts(part: MessagePart): MessagePart[] {
  if (part.type === 'message/rfc822') return [part];
  const isFile =
    part.disposition === 'attachment' ||
    (!/^(text\/(plain|html)|multipart\/.*)$/.test(part.type) && !markupOf(part) && part.id !== '');
  return [...(isFile ? [part] : []), ...part.children.flatMap(listFileParts)];
}

/** Finds the part of a file by its name, or by the one that its number makes. */
export function findPartByName(root: MessagePart, name: string): MessagePart | undefined {
  const parts = listFileParts(root);
  return parts.find((part) => filenameOf(part) === name) ?? parts.find((part) => makeFilename(part) === name);
}

const isIdentity = ({ encoding }: MessagePart): boolean => encoding !== 'base64' && encoding !== 'quoted-printable';

async function* none(): AsyncGenerator<Uint8Array> {
  // Nothing of the file is wanted.
}
