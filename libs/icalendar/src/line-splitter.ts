import { TextDecoder } from 'node:util';
import { isUtf8 } from 'node:buffer';

/** One unfolded content line. */
export interface LogicalLine {
  /** Decoded; only the beginning when `tooLong`. */
  readonly text: string;
  /** Number of its first line in the file, from 1. */
  readonly line: number;
  /** Octets without folds and line ends. */
  readonly bytes: number;
  readonly tooLong: boolean;
  /** It was not valid in the encoding of the file and was read as windows-1252. */
  readonly foreignEncoding: boolean;
}

/** How much of a line that is too long is kept: enough for its name. */
const KEPT_OF_LONG_LINES = 256;
const UTF8_MARK = '\u00ef\u00bb\u00bf';

const windows1252 = new TextDecoder('windows-1252');

/**
 * Cuts a stream into unfolded lines (RFC 5545 §3.1) ended by CRLF, LF or CR; empty lines are skipped. Works on octets,
 * because folds may lie inside a character, and keeps no more than one line in memory.
 */
export class LineSplitter {
  private decoder: TextDecoder | undefined;
  private begun = false;
  private head = '';
  private highSurrogate = '';
  private text = '';
  private bytes = 0;
  private startLine = 1;
  private lineNumber = 1;
  private atLineStart = true;
  private afterCarriageReturn = false;

  /** `charset`: a WHATWG label; throws a RangeError when it does not exist. */
  constructor(
    private readonly maxLineBytes: number,
    charset?: string,
  ) {
    if (charset === undefined) return;
    const decoder = new TextDecoder(charset);
    if (decoder.encoding !== 'utf-8') this.decoder = decoder;
  }

  /** The lines that end in this chunk. */
  *feed(chunk: string | Uint8Array): Generator<LogicalLine, void, undefined> {
    const octets = this.toOctets(chunk);
    if (this.begun) {
      yield* this.split(octets);
    } else {
      this.head += octets;
      if (this.head.length >= 3) yield* this.begin();
    }
  }

  /** The last line. */
  *end(): Generator<LogicalLine, void, undefined> {
    if (!this.begun) yield* this.begin();
    if (this.decoder) yield* this.split(Buffer.from(this.decoder.decode(), 'utf8').toString('latin1'));
    const last = this.take();
    if (last) yield last;
  }

  private *begin(): Generator<LogicalLine, void, undefined> {
    this.begun = true;
    let { head } = this;
    this.head = '';
    if (head.startsWith(UTF8_MARK)) head = head.slice(UTF8_MARK.length);
    else if (!this.decoder && /^(\xff\xfe|\xfe\xff)/.test(head)) {
      this.decoder = new TextDecoder(head.startsWith('\xff') ? 'utf-16le' : 'utf-16be');
      head = this.decodeForeign(Buffer.from(head, 'latin1'));
    }
    yield* this.split(head);
  }

  /** Octets of UTF-8, one per character of the result. */
  private toOctets(chunk: string | Uint8Array): string {
    if (typeof chunk === 'string') {
      let text = this.highSurrogate + chunk;
      this.highSurrogate = '';
      if (/[\ud800-\udbff]$/.test(text)) {
        this.highSurrogate = text.slice(-1);
        text = text.slice(0, -1);
      }
      return Buffer.from(text, 'utf8').toString('latin1');
    }
    if (this.decoder) return this.decodeForeign(chunk);
    return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
  }

  private decodeForeign(octets: Uint8Array): string {
    return Buffer.from((this.decoder as TextDecoder).decode(octets, { stream: true }), 'utf8').toString('latin1');
  }

  private *split(octets: string): Generator<LogicalLine, void, undefined> {
    const lineEnd = /[\r\n]/g;
    let from = 0;
    if (this.afterCarriageReturn && octets !== '') {
      this.afterCarriageReturn = false;
      if (octets[0] === '\n') from = 1;
    }
    while (from < octets.length) {
      lineEnd.lastIndex = from;
      const end = lineEnd.test(octets) ? lineEnd.lastIndex - 1 : octets.length;
      if (end > from) {
        const finished = this.append(octets.slice(from, end));
        if (finished) yield finished;
      }
      if (end === octets.length) return;
      this.atLineStart = true;
      this.lineNumber++;
      from = end + 1;
      if (octets[end] === '\r') {
        if (from === octets.length) this.afterCarriageReturn = true;
        else if (octets[from] === '\n') from++;
      }
    }
  }

  /** Adds a part of a physical line; gives the logical line before it when this begins a new one. */
  private append(part: string): LogicalLine | undefined {
    let finished: LogicalLine | undefined;
    let added = part;
    if (this.atLineStart) {
      this.atLineStart = false;
      if (part[0] === ' ' || part[0] === '\t') {
        added = part.slice(1);
      } else {
        finished = this.take();
        this.startLine = this.lineNumber;
      }
    }
    this.bytes += added.length;
    if (this.bytes <= this.maxLineBytes) this.text += added;
    else if (this.text.length < KEPT_OF_LONG_LINES) this.text += added.slice(0, KEPT_OF_LONG_LINES);
    else if (this.text.length > 2 * KEPT_OF_LONG_LINES) this.text = this.text.slice(0, KEPT_OF_LONG_LINES);
    return finished;
  }

  private take(): LogicalLine | undefined {
    const { text, bytes } = this;
    this.text = '';
    this.bytes = 0;
    if (text === '') return undefined;
    const tooLong = bytes > this.maxLineBytes;
    if (!/[\x80-\xff]/.test(text)) return { text, line: this.startLine, bytes, tooLong, foreignEncoding: false };
    const octets = Buffer.from(text, 'latin1');
    const foreignEncoding = !tooLong && !isUtf8(octets);
    return {
      text: foreignEncoding ? windows1252.decode(octets) : octets.toString('utf8'),
      line: this.startLine,
      bytes,
      tooLong,
      foreignEncoding,
    };
  }
}
