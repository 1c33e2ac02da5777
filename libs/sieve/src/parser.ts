import { SieveSyntaxError } from './sieve-error';
import type { PlacedCommand, SieveArgument, SieveCommand, SieveTest } from './syntax';
import { SieveTokenizer, type SieveToken } from './tokenizer';

/** Deepest nesting of blocks and tests: enough for what people and programs write, far less than the stack holds. */
export const MAX_NESTING = 32;
/** Most strings of one list, and arguments of one command. */
const MAX_VALUES = 10_000;

/** Reads commands of a script one by one, as it says what they mean and not whether a server knows them. */
export class SieveParser {
  private readonly tokenizer: SieveTokenizer;
  private peeked: SieveToken | undefined;
  private lastEnd: number;

  constructor(source: string, offset = 0) {
    this.tokenizer = new SieveTokenizer(source, offset);
    this.lastEnd = offset;
  }

  /** The next token, with comments, without taking it. @throws SieveSyntaxError */
  peekWithComments(): SieveToken {
    return (this.peeked ??= this.tokenizer.next());
  }

  /** Takes the next token, which may be a comment. @throws SieveSyntaxError */
  takeWithComments(): SieveToken {
    const token = this.peekWithComments();
    this.peeked = undefined;
    if (token.kind !== 'comment') this.lastEnd = token.end;
    return token;
  }

  /** Takes a command (section 8.2). @throws SieveSyntaxError */
  takeCommand(depth = 0): PlacedCommand {
    const name = this.take();
    if (name.kind !== 'identifier') throw new SieveSyntaxError('a command is missing', name.start);
    const rest = this.takeArguments(0);
    const end = this.take();
    if (end.value === ';' && end.kind === 'punctuation')
      return { name: name.value, ...rest, start: name.start, end: this.lastEnd };
    if (!isMark(end, '{')) throw new SieveSyntaxError('a semicolon or block is missing', end.start);
    const block = this.takeBlock(depth + 1, end.start);
    return { name: name.value, ...rest, block, start: name.start, end: this.lastEnd };
  }

  private takeBlock(depth: number, start: number): readonly SieveCommand[] {
    if (depth > MAX_NESTING) throw new SieveSyntaxError('blocks are nested too deeply', start);
    const block: SieveCommand[] = [];
    while (!isMark(this.peek(), '}')) block.push(withoutPlace(this.takeCommand(depth)));
    this.take();
    return block;
  }

  private takeArguments(depth: number): Pick<SieveTest, 'arguments' | 'tests'> {
    const found: SieveArgument[] = [];
    for (;;) {
      const token = this.peek();
      if (found.length > MAX_VALUES) throw new SieveSyntaxError('a command has too many arguments', token.start);
      if (token.kind === 'tag') found.push({ kind: 'tag', name: this.take().value });
      else if (token.kind === 'number') found.push({ kind: 'number', value: Number(this.take().value) });
      else if (token.kind === 'string') found.push({ kind: 'text', value: this.take().value });
      else if (isMark(token, '[')) found.push({ kind: 'list', values: this.takeList() });
      else break;
    }
    return { arguments: found, tests: this.takeTests(depth + 1) };
  }

  private takeTests(depth: number): readonly SieveTest[] {
    const first = this.peek();
    if (depth > MAX_NESTING) throw new SieveSyntaxError('tests are nested too deeply', first.start);
    if (first.kind === 'identifier') return [this.takeTest(depth)];
    if (!isMark(first, '(')) return [];
    this.take();
    const tests = [this.takeTest(depth)];
    for (;;) {
      const token = this.take();
      if (isMark(token, ')')) return tests;
      if (!isMark(token, ',')) throw new SieveSyntaxError('a list of tests has no end', token.start);
      tests.push(this.takeTest(depth));
    }
  }

  private takeTest(depth: number): SieveTest {
    const name = this.take();
    if (name.kind !== 'identifier') throw new SieveSyntaxError('a test is missing', name.start);
    return { name: name.value, ...this.takeArguments(depth) };
  }

  private takeList(): readonly string[] {
    this.take();
    const values: string[] = [];
    for (;;) {
      const value = this.take();
      if (value.kind !== 'string') throw new SieveSyntaxError('a string is missing', value.start);
      if (values.push(value.value) > MAX_VALUES) throw new SieveSyntaxError('a list is too long', value.start);
      const token = this.take();
      if (isMark(token, ']')) return values;
      if (!isMark(token, ',')) throw new SieveSyntaxError('a list of strings has no end', token.start);
    }
  }

  private peek(): SieveToken {
    while (this.peekWithComments().kind === 'comment') this.peeked = undefined;
    return this.peekWithComments();
  }

  private take(): SieveToken {
    this.peek();
    return this.takeWithComments();
  }
}

const isMark = ({ kind, value }: SieveToken, mark: string): boolean => kind === 'punctuation' && value === mark;

const withoutPlace = ({ name, arguments: values, tests, block }: PlacedCommand): SieveCommand => ({
  name,
  arguments: values,
  tests,
  ...(block ? { block } : {}),
});

/** Reads a text that holds nothing but commands. @throws SieveSyntaxError */
export function parseCommands(source: string): readonly SieveCommand[] {
  const parser = new SieveParser(source);
  const found: SieveCommand[] = [];
  for (;;) {
    while (parser.peekWithComments().kind === 'comment') parser.takeWithComments();
    if (parser.peekWithComments().kind === 'end') return found;
    found.push(withoutPlace(parser.takeCommand()));
  }
}
