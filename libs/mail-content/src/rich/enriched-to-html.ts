import { HtmlWriter } from './html-writer';

/** Start and end in HTML of what has no parameter. */
const ELEMENTS: Readonly<Record<string, readonly [start: string, end: string]>> = {
  bold: ['<b>', '</b>'],
  italic: ['<i>', '</i>'],
  underline: ['<u>', '</u>'],
  fixed: ['<span style="font-family:monospace">', '</span>'],
  smaller: ['<span style="font-size:85%">', '</span>'],
  bigger: ['<span style="font-size:120%">', '</span>'],
  center: ['<div align="center">', '</div>'],
  flushleft: ['<div align="left">', '</div>'],
  flushright: ['<div align="right">', '</div>'],
  flushboth: ['<div align="justify">', '</div>'],
  indent: ['<div style="margin-left:40px">', '</div>'],
  indentright: ['<div style="margin-right:40px">', '</div>'],
  excerpt: ['<blockquote type="cite">', '</blockquote>'],
  // Of text/richtext alone.
  subscript: ['<sub>', '</sub>'],
  superscript: ['<sup>', '</sup>'],
  heading: ['<div>', '</div>'],
  footing: ['<div>', '</div>'],
  signature: ['<div>', '</div>'],
  paragraph: ['<p>', '</p>'],
};
/** Commands whose parameter says how they look. */
const WITH_PARAMETER: Readonly<Record<string, (parameter: string) => readonly [start: string, end: string]>> = {
  color: (value) => [`<font color="${toColor(value)}">`, '</font>'],
  fontfamily: (value) => [`<font face="${value.replace(/[^\w ,-]/g, '')}">`, '</font>'],
  paraindent: (value) => [`<div style="${toMargins(value)}">`, '</div>'],
};
const COMMAND = /<(\/?)([\w-]{1,60})>/y;
const PARAMETER = /[\t\n ]*<param>([^<\n]{0,200})<\/param>/iy;
const PARAMETER_END = /<\/param>/iy;

/** Text with commands (text/enriched, RFC 1896) as HTML, which is not safe before it is sanitised. */
export const enrichedToHtml = (text: string): string => new CommandReader(text, true).read();

/** Its predecessor (text/richtext, RFC 1341 section 7.1.3), whose lines end where it says so. */
export const richtextToHtml = (text: string): string => new CommandReader(text, false).read();

class CommandReader {
  private readonly html = new HtmlWriter();
  private readonly text: string;
  private at = 0;
  /** Within how many `nofill`, where lines end as they are written. */
  private unfilled = 0;
  /** Within how many comments. */
  private comments = 0;
  /** Place of the last end of a parameter: one that begins behind it has none. */
  private readonly lastParameterEnd: number;

  constructor(
    text: string,
    private readonly isEnriched: boolean,
  ) {
    this.text = text.replace(/\r\n?/g, '\n');
    this.lastParameterEnd = [...this.text.matchAll(/<\/param>/gi)].at(-1)?.index ?? -1;
  }

  read(): string {
    while (this.at < this.text.length) {
      const next = this.text.indexOf('<', this.at);
      const end = next < 0 ? this.text.length : next;
      if (end > this.at) this.writeText(this.text.slice(this.at, end));
      this.at = end;
      if (next >= 0) this.readCommand();
    }
    return this.html.toHtml();
  }

  private readCommand(): void {
    const command = this.match(COMMAND);
    if (command) return this.apply(command[2]!.toLowerCase(), command[1] === '/');
    const isEscaped = this.isEnriched && this.text.startsWith('<<', this.at);
    this.at += isEscaped ? 2 : 1;
    this.writeText('<');
  }

  private apply(name: string, isEnd: boolean): void {
    if (name === 'nofill' || name === 'verbatim') this.unfilled = Math.max(0, this.unfilled + (isEnd ? -1 : 1));
    else if (name === 'comment' && !this.isEnriched) this.comments = Math.max(0, this.comments + (isEnd ? -1 : 1));
    else if (name === 'param' && !isEnd) this.skipParameter();
    else if (name === 'lt' && !this.isEnriched) this.writeText('<');
    else if ((name === 'nl' || name === 'np') && !this.isEnriched) this.html.breakLine();
    else if (isEnd) this.html.endElement(name);
    else this.startElement(name);
  }

  private startElement(name: string): void {
    if (Object.hasOwn(ELEMENTS, name)) this.html.startElement(name, ...ELEMENTS[name]!);
    else if (Object.hasOwn(WITH_PARAMETER, name))
      this.html.startElement(name, ...WITH_PARAMETER[name]!(this.match(PARAMETER)?.[1]?.trim() ?? ''));
  }

  private writeText(text: string): void {
    if (this.comments > 0) return;
    if (!this.isEnriched) this.html.write(text.replace(/\n+/g, ' '));
    else if (this.unfilled === 0)
      this.writeLines(text.replace(/\n+/g, ({ length }) => (length === 1 ? ' ' : '\n'.repeat(length - 1))));
    else this.writeLines(text);
  }

  private writeLines(text: string): void {
    text.split('\n').forEach((line, at) => {
      if (at > 0) this.html.breakLine();
      if (line) this.html.write(line);
    });
  }

  /** A parameter that nothing asked for is not shown. */
  private skipParameter(): void {
    if (this.at > this.lastParameterEnd) return;
    while (!this.match(PARAMETER_END)) this.at = this.text.indexOf('<', this.at + 1);
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }
}

/** A colour by its name, or by its red, green and blue of 16 bits each. */
function toColor(value: string): string {
  const parts = /^([\da-f]{4}),([\da-f]{4}),([\da-f]{4})$/i.exec(value)?.slice(1);
  return parts ? `#${parts.map((part) => part.slice(0, 2)).join('')}` : value.replace(/\W/g, '');
}

function toMargins(value: string): string {
  const count = (side: string) =>
    value
      .toLowerCase()
      .split(',')
      .filter((each) => each.trim() === side).length;
  return `margin-left:${count('left') * 40}px;margin-right:${count('right') * 40}px;text-indent:${(count('in') - count('out')) * 40}px`;
}
