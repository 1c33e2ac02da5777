import { SieveSyntaxError } from './sieve-error';

/** The smallest parts of a script. */
export interface SieveToken {
  readonly kind: 'identifier' | 'tag' | 'number' | 'string' | 'punctuation' | 'comment' | 'end';
  /** Meaning: decoded text of strings, digits of numbers, the whole comment. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const SPACE = /[ \t\r\n]*/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /([0-9]+)([KMGkmg]?)/y;
const HASH_COMMENT = /#[^\n]*/y;
const STOP_OF_STRING = /["\\\0]/g;
const MULTI_LINE = /text:[ \t]*(?:#[^\n]*)?\r?\n/iy;
const FACTORS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** Reads one token after the other (RFC 5228, section 8.1). */
export class SieveTokenizer {
  constructor(
    private readonly source: string,
    /** Place where the next token is looked for. */
    public offset = 0,
  ) {}

  /** The next token; comments are tokens. @throws SieveSyntaxError */
  next(): SieveToken {
    this.match(SPACE);
    const start = this.offset;
    if (start >= this.source.length) return { kind: 'end', value: '', start, end: start };
    const first = this.source[start]!;
    if (first === '#') return this.token('comment', start, this.match(HASH_COMMENT)![0].replace(/\r$/, ''));
    if (first === '/') return this.bracketComment(start);
    if (first === '"') return this.quoted(start);
    if ('[](){},;'.includes(first)) {
      this.offset++;
      return this.token('punctuation', start, first);
    }
    if (first === ':') {
      this.offset++;
      const name = this.match(IDENTIFIER);
      if (!name) throw new SieveSyntaxError('a tag has no name', start);
      return this.token('tag', start, name[0].toLowerCase());
    }
    if (first === 't' || first === 'T') {
      if (this.match(MULTI_LINE)) return this.multiLine(start);
    }
    const number = this.match(NUMBER);
    if (number) return this.number(start, number);
    const identifier = this.match(IDENTIFIER);
    if (identifier) return this.token('identifier', start, identifier[0].toLowerCase());
    throw new SieveSyntaxError('a character is out of place', start);
  }

  private number(start: number, [, digits = '', unit = '']: RegExpExecArray): SieveToken {
    const value = Number(digits) * FACTORS[unit.toUpperCase()]!;
    if (!Number.isSafeInteger(value)) throw new SieveSyntaxError('a number is too large', start);
    return this.token('number', start, String(value));
  }

  private quoted(start: number): SieveToken {
    for (let from = start + 1; ;) {
      STOP_OF_STRING.lastIndex = from;
      const stop = STOP_OF_STRING.exec(this.source);
      if (stop?.[0] === '\\') {
        from = stop.index + 2;
        continue;
      }
      if (stop?.[0] !== '"') throw new SieveSyntaxError('a string has no end', start);
      this.offset = stop.index + 1;
      return this.token('string', start, this.source.slice(start + 1, stop.index).replace(/\\([^])/g, '$1'));
    }
  }

  /** A string of lines up to one with a dot only; a dot at the start of a line stands twice (section 2.4.2). */
  private multiLine(start: number): SieveToken {
    const lines: string[] = [];
    for (;;) {
      const end = this.source.indexOf('\n', this.offset);
      const line = this.source.slice(this.offset, end < 0 ? undefined : end + 1);
      const isLast = /^\.\r?\n?$/.test(line);
      if (isLast || end < 0) {
        if (!isLast) throw new SieveSyntaxError('a string of lines has no end', start);
        this.offset += line.length;
        return this.token('string', start, lines.join(''));
      }
      lines.push(line.startsWith('.') ? line.slice(1) : line);
      this.offset = end + 1;
    }
  }

  private bracketComment(start: number): SieveToken {
    const end = this.source.startsWith('/*', start) ? this.source.indexOf('*/', start + 2) : -1;
    if (end < 0) throw new SieveSyntaxError('a comment has no end', start);
    this.offset = end + 2;
    return this.token('comment', start, this.source.slice(start, this.offset));
  }

  private token(kind: SieveToken['kind'], start: number, value: string): SieveToken {
    return { kind, value, start, end: this.offset };
  }

  private match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.offset;
    const found = expression.exec(this.source);
    if (found) this.offset = expression.lastIndex;
    return found;
  }
}
