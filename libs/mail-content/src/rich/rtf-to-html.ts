import { isAscii } from 'node:buffer';
import { deEncapsulateSync } from 'rtf-stream-parser';
import { decodeCharset } from '../text/charset';
import { textToHtml } from '../text/text-to-html';
import { HtmlWriter } from './html-writer';

/** How the text of a group is shown; a group begins as the one around it. */
interface GroupState {
  bold: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  /** Its text is none of the document, or hidden. */
  isSkipped: boolean;
  isHidden: boolean;
  /** It is the table of fonts. */
  isFontTable: boolean;
  /** Characters after a Unicode one that stand for it where Unicode is unknown. */
  fallbackLength: number;
  charset: string;
}

/** Groups within each other that have a state of their own. */
const MAX_DEPTH = 200;
const MAX_FONTS = 1_000;
/** Bytes decoded at once: numbers take eight times their memory. */
const MAX_RUN_BYTES = 64 * 1024;
const CONTROL = /\\([a-z]{1,32})(-?\d{1,10})? ?/iy;
const HEX = /\\'([\da-f]{2})/iy;
/** Groups that hold no text of the document. */
const SKIPPED = new Set(
  `fonttbl colortbl stylesheet info pict objdata nonshppict shppict header headerl headerr headerf footer footerl footerr
  footerf footnote annotation themedata colorschememapping latentstyles datastore listtable listoverridetable rsidtbl generator
  xmlnstbl filetbl revtbl fldinst bkmkstart bkmkend mmathPr xe tc txe private`.split(/\s+/),
);
const SYMBOLS: Readonly<Record<string, string>> = {
  tab: '\t',
  cell: '\t',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: '\u2003',
  enspace: '\u2002',
};
const LINE_ENDS = new Set(['par', 'line', 'row', 'page', 'sect', 'column']);
const SWITCHES: Readonly<
  Record<string, readonly [switched: 'bold' | 'italic' | 'underline' | 'strike' | 'isHidden', on: boolean]>
> = {
  b: ['bold', true],
  i: ['italic', true],
  ul: ['underline', true],
  uld: ['underline', true],
  uldb: ['underline', true],
  ulw: ['underline', true],
  ulnone: ['underline', false],
  strike: ['strike', true],
  v: ['isHidden', true],
};
const CHARSETS: Readonly<Record<string, string>> = { mac: 'macintosh', pc: 'cp437', pca: 'cp850' };
/** Charsets of fonts (`\\fcharset`). */
const FONT_CHARSETS: Readonly<Record<number, string>> = {
  0: 'windows-1252',
  77: 'macintosh',
  128: 'cp932',
  129: 'cp949',
  134: 'cp936',
  136: 'cp950',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};
const DEFAULT_CHARSET = 'windows-1252';
const DBCS = /^cp9(?:32|36|49|50)$/;

/** HTML that Outlook made RTF of ([MS-OXRTFEX] 2.2.3.1): it is told by one of the first words. */
const FROM_HTML = /^[^]{0,1000}?\\fromhtml1(?!\d)/;

/**
 * The text of a document in Rich Text Format (RTF Specification 1.9.1) as HTML, which is not safe before it is sanitised. A document
 * that was made of HTML becomes that HTML again.
 */
export function rtfToHtml(bytes: Uint8Array): string {
  // Each character is a byte: all but text is ASCII.
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const start = /^(?:ï»¿)?\s*\{\\rtf/.exec(source);
  if (!start) return textToHtml(decodeCharset(bytes, undefined));
  return (
    (FROM_HTML.test(source) ? findHtml(source.slice(source.indexOf('{'))) : undefined) ?? new RtfReader(source).read()
  );
}

/** The HTML within a document; undefined for a broken one, and for one that is nested so deep that the library would take long. */
function findHtml(source: string): string | undefined {
  if (!isWellFormed(source, MAX_DEPTH)) return undefined;
  try {
    const { text } = deEncapsulateSync(Buffer.from(source, 'latin1'), {
      mode: 'html',
      decode: (bytes, charset) => decodeCharset(bytes, charset.replace(/^cp(?=125\d$)/, 'windows-')),
      warn: () => undefined,
    });
    // Half of a pair is no character.
    return String(text).replace(/\p{Surrogate}/gu, '\ufffd');
  } catch {
    return undefined;
  }
}

/** A document without numbers of characters that are none, of which the library warns on the console, and not nested deeper. */
function isWellFormed(source: string, mostDepth: number): boolean {
  let depth = 0;
  for (const [token] of source.matchAll(/\\'[\da-f]{2}|\\[\\{}']|[{}]/gi)) {
    if (token === "\\'" || (token === '{' && ++depth > mostDepth)) return false;
    if (token === '}') depth--;
  }
  return true;
}

class RtfReader {
  private readonly html = new HtmlWriter();
  private readonly groups: GroupState[] = [];
  private omitted = 0;
  private at = 0;
  private state: GroupState = {
    bold: false,
    italic: false,
    underline: false,
    strike: false,
    isSkipped: false,
    isHidden: false,
    isFontTable: false,
    fallbackLength: 1,
    charset: DEFAULT_CHARSET,
  };
  private documentCharset = DEFAULT_CHARSET;
  private readonly fontCharsets = new Map<number, string>();
  private font = 0;
  /** Bytes of text that are not decoded yet. */
  private bytes: number[] = [];
  /** Characters that are left out, as a Unicode one stands before them. */
  private left = 0;
  /** Elements that are open. */
  private shown = '';

  constructor(private readonly source: string) {}

  read(): string {
    while (this.at < this.source.length) this.readNext();
    this.decode();
    return this.html.toHtml();
  }

  private readNext(): void {
    const character = this.source[this.at]!;
    switch (character) {
      case '{':
        this.at++;
        return this.startGroup();
      case '}':
        this.at++;
        return this.endGroup();
      case '\\':
        return this.readControl();
      case '\r':
      case '\n':
        this.at++;
        return;
      default:
        this.at++;
        return this.addByte(character.charCodeAt(0));
    }
  }

  private startGroup(): void {
    this.decode();
    this.left = 0;
    if (this.groups.length >= MAX_DEPTH) this.omitted++;
    else this.groups.push({ ...this.state });
  }

  private endGroup(): void {
    this.decode();
    this.left = 0;
    if (this.omitted > 0) this.omitted--;
    else this.state = this.groups.pop() ?? this.state;
  }

  private readControl(): void {
    const hex = this.match(HEX)?.[1];
    if (hex !== undefined) return this.addByte(parseInt(hex, 16));
    const word = this.match(CONTROL);
    if (word) return this.applyWord(word[1]!, word[2] === undefined ? undefined : Number(word[2]));
    const symbol = this.source[this.at + 1] ?? '';
    this.at += 2;
    if (symbol === '\\' || symbol === '{' || symbol === '}') this.addByte(symbol.charCodeAt(0));
    else if (symbol === '*') this.state.isSkipped = true;
    else if (symbol === '~') this.write('\u00a0');
    else if (symbol === '_') this.write('\u2011');
    else if (symbol === '\n' || symbol === '\r') this.breakLine();
  }

  private applyWord(word: string, value: number | undefined): void {
    if (word === 'u') return this.addUnicode(value ?? 0);
    // Bytes of any kind follow.
    if (word === 'bin') {
      this.at += Math.max(0, value ?? 0);
      return;
    }
    if (this.left > 0) {
      this.left--;
      return;
    }
    const { state } = this;
    if (SKIPPED.has(word)) {
      state.isSkipped = true;
      state.isFontTable = word === 'fonttbl';
    } else if (LINE_ENDS.has(word)) this.breakLine();
    else if (Object.hasOwn(SYMBOLS, word)) this.write(SYMBOLS[word]!);
    else if (Object.hasOwn(SWITCHES, word)) {
      const [switched, isOn] = SWITCHES[word]!;
      this.decode();
      state[switched] = isOn && value !== 0;
    } else if (word === 'plain') {
      this.decode();
      Object.assign(state, { bold: false, italic: false, underline: false, strike: false, isHidden: false });
    } else if (word === 'uc') state.fallbackLength = Math.min(Math.max(0, value ?? 1), 100);
    else this.applyCharset(word, value);
  }

  private applyCharset(word: string, value = 0): void {
    const { state } = this;
    if (word === 'f' && state.isFontTable) this.font = value;
    else if (word === 'fcharset' && state.isFontTable) {
      const charset = FONT_CHARSETS[value];
      if (charset !== undefined && this.fontCharsets.size < MAX_FONTS) this.fontCharsets.set(this.font, charset);
    } else if (word === 'f') this.setCharset(this.fontCharsets.get(value) ?? this.documentCharset);
    else if (word === 'ansicpg' || Object.hasOwn(CHARSETS, word)) {
      this.documentCharset = CHARSETS[word] ?? toCharset(value);
      this.setCharset(this.documentCharset);
    }
  }

  private setCharset(charset: string): void {
    if (charset !== this.state.charset) this.decode();
    this.state.charset = charset;
  }

  private addByte(byte: number): void {
    if (this.left > 0) this.left--;
    else if (!this.isLeftOut && this.bytes.push(byte) >= MAX_RUN_BYTES) this.decode();
  }

  private addUnicode(value: number): void {
    this.left = this.state.fallbackLength;
    if (!this.isLeftOut) this.write(String.fromCharCode(value & 0xffff));
  }

  private get isLeftOut(): boolean {
    return this.state.isSkipped || this.state.isHidden;
  }

  private decode(): void {
    if (this.bytes.length === 0) return;
    const bytes = Buffer.from(this.bytes);
    this.bytes = [];
    // ASCII is the same in all of these charsets.
    this.show(isAscii(bytes) ? bytes.toString('latin1') : decodeCharset(bytes, this.state.charset));
  }

  private write(text: string): void {
    this.decode();
    if (!this.isLeftOut) this.show(text);
  }

  private breakLine(): void {
    this.decode();
    if (!this.isLeftOut) this.html.breakLine();
  }

  private show(text: string): void {
    const { bold, italic, underline, strike } = this.state;
    const wanted = [bold && 'b', italic && 'i', underline && 'u', strike && 'strike'].filter(Boolean);
    if (wanted.join() !== this.shown) {
      this.html.endAll();
      for (const tag of wanted) this.html.startElement(`${tag}`, `<${tag}>`, `</${tag}>`);
      this.shown = wanted.join();
    }
    this.html.write(text);
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found) this.at = pattern.lastIndex;
    return found;
  }
}

/** The charset of a number of a code page. */
function toCharset(codePage: number): string {
  if (codePage === 65001) return 'utf-8';
  const name = `cp${codePage}`;
  return DBCS.test(name) || codePage < 1250 ? name : `windows-${codePage}`;
}
