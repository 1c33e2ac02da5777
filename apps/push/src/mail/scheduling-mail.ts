import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CatalogueError, PushErrors } from '@groupware/contracts';
import { Splitter, type MimeNode, type SplitterChunk } from '@zone-eu/mailsplit';
import addressParser from 'nodemailer/lib/addressparser';

/** Facts of a pushed mail about appointments. */
export interface SchedulingMail {
  readonly messageId?: string;
  /** Date header, ms UTC. */
  readonly sentAtMs?: number;
  /** Lower-case address of the sender. */
  readonly from?: string;
  /** Lower-case addresses: of the envelope where the mail server noted them, else of To and Cc. */
  readonly recipients: readonly string[];
  /** The first calendar part with a method; absent in all other mails. */
  readonly calendar?: { readonly method: string; readonly text: string };
  /** There was a calendar part, but it was larger than allowed. */
  readonly isTooLarge: boolean;
}

/** Largest header of a mail or of one of its parts, bytes, and most parts. */
const LIMITS = { maxHeadSize: 256 * 1024, maxChildNodes: 1000, ignoreEmbedded: true };
/** Most recipients that are looked at. */
const MAX_RECIPIENTS = 100;
/** Headers in which mail servers note for whom they deliver a mail. */
const ENVELOPE = ['delivered-to', 'x-original-to', 'envelope-to'];
const ADDRESS = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,255}$/;
const METHOD = /^METHOD(?:;[^:\r\n]*)?:\s*([A-Za-z-]+)/im;

/** Reads a mail as it comes and keeps nothing of it but its calendar part. @throws PNS-9010 */
export async function readSchedulingMail(mail: AsyncIterable<Buffer>, maxBytes: number): Promise<SchedulingMail> {
  const reader = new PartReader(maxBytes);
  const splitter = new Splitter(LIMITS);
  // A refusal of the reader would be hidden by what it does to the streams before, were it one of them.
  pipeline(Readable.from(mail), splitter, () => undefined);
  try {
    for await (const chunk of splitter as AsyncIterable<SplitterChunk>) await reader.take(chunk);
  } catch (error) {
    if (error instanceof CatalogueError || (error as { code?: string }).code !== 'EMAXLEN') throw error;
    throw PushErrors.badMail('too many parts, or too large a header');
  }
  return reader.result();
}

/** Looks for the calendar part among what comes. */
class PartReader {
  private root: MimeNode | undefined;
  private part: MimeNode | undefined;
  private pieces: Buffer[] = [];
  private size = 0;
  private isTooLarge = false;
  private calendar: SchedulingMail['calendar'];

  constructor(private readonly maxBytes: number) {}

  async take(chunk: SplitterChunk): Promise<void> {
    if (chunk.type === 'node') {
      await this.finishPart();
      if (!this.root) {
        requireHeader(chunk);
        this.root = chunk;
      }
      if (!this.calendar && chunk.contentType === 'text/calendar') this.part = chunk;
    } else if (chunk.type === 'body' && this.part && chunk.node === this.part) this.keep(chunk.value);
  }

  async result(): Promise<SchedulingMail> {
    await this.finishPart();
    if (!this.root) throw PushErrors.badMail('no header');
    const header = (name: string) => firstOf(this.root!, name);
    const date = Date.parse(
      header('date')
        .replace(/\([^()]*\)\s*$/, '')
        .trim(),
    );
    const [from] = addressesOf(this.root, ['from']);
    const envelope = addressesOf(this.root, ENVELOPE);
    return {
      ...(header('message-id') ? { messageId: header('message-id').slice(0, 998) } : {}),
      ...(Number.isFinite(date) ? { sentAtMs: date } : {}),
      ...(from ? { from } : {}),
      recipients: envelope.length > 0 ? envelope : addressesOf(this.root, ['to', 'cc']),
      ...(this.calendar ? { calendar: this.calendar } : {}),
      isTooLarge: this.isTooLarge,
    };
  }

  private keep(bytes: Buffer | undefined): void {
    if (!bytes) return;
    this.size += bytes.length;
    // Encoded bytes are more than those they stand for, at most three for one (RFC 2045, section 6.7).
    if (this.size <= this.maxBytes * 3) this.pieces.push(bytes);
  }

  private async finishPart(): Promise<void> {
    const { part } = this;
    if (!part) return;
    const text = this.size <= this.maxBytes * 3 ? await textOf(part, Buffer.concat(this.pieces)) : undefined;
    if (text === undefined || Buffer.byteLength(text) > this.maxBytes) this.isTooLarge = true;
    else {
      const method = methodOf(part, text);
      if (method) this.calendar = { method, text };
    }
    this.part = undefined;
    this.pieces = [];
    this.size = 0;
  }
}

/** A mail begins with a header; what has none is no mail. */
function requireHeader(node: MimeNode): void {
  const lines = node.headers ? node.headers.getList() : [];
  if (!lines.some(({ key, line }) => key !== '' && /^[\x21-\x39\x3b-\x7e]+[ \t]*:/.test(line)))
    throw PushErrors.badMail('no header');
}

const firstOf = (node: MimeNode, name: string): string => (node.headers ? node.headers.getFirst(name).trim() : '');

function addressesOf(node: MimeNode, names: readonly string[]): string[] {
  const headers = node.headers || undefined;
  const found = names
    .flatMap((name) => headers?.getDecoded(name) ?? [])
    .flatMap(({ value }) => addressParser(value.slice(0, 64 * 1024), { flatten: true }))
    .map(({ address }) => address.toLowerCase())
    .filter((address) => ADDRESS.test(address));
  return [...new Set(found)].slice(0, MAX_RECIPIENTS);
}

/** METHOD of the content type (RFC 6047, section 2.4), else the property. */
function methodOf(part: MimeNode, text: string): string | undefined {
  const named = /;\s*method\s*=\s*"?([A-Za-z-]+)/i.exec(firstOf(part, 'content-type'))?.[1];
  return (named ?? METHOD.exec(text)?.[1])?.toUpperCase();
}

async function textOf(part: MimeNode, raw: Buffer): Promise<string> {
  const isEncoded = part.encoding === 'base64' || part.encoding === 'quoted-printable';
  const decoder = part.getDecoder();
  decoder.end(raw);
  // Bytes that were not encoded came as characters of JSON, whatever their charset was.
  return decodeAs(isEncoded ? part.charset || 'utf-8' : 'utf-8', await buffer(decoder));
}

function decodeAs(charset: string, bytes: Buffer): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
