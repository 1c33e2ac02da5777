import { parseCommands, SieveParser } from './parser';
import { disable, enable, INACTIVE, isMark, readMark, writeMark, type RuleMark } from './rule-mark';
import { SieveSyntaxError } from './sieve-error';
import type { SieveCommand } from './syntax';
import { LINE_END, quote, writeCommands } from './writer';

/** A rule of a script: commands that belong together, and the comment that names them. */
export interface ScriptRule {
  /** Unique in the script. */
  readonly id: number;
  readonly name: string;
  readonly flags: readonly string[];
  /** False for a rule that is kept as comment. */
  readonly isActive: boolean;
  /** Its commands as they stand in the script, comments inside included, without the marks of inactive rules. */
  readonly text: string;
  /** Undefined when the text cannot be read. */
  readonly commands?: readonly SieveCommand[];
  /** Why the text cannot be read. */
  readonly problem?: string;
  /** Undefined for rules that are new or changed: what the script holds for it. */
  readonly kept?: KeptText;
}

/** Text of a rule that was not changed. */
export interface KeptText {
  /** Blank lines and comments above it. */
  readonly before: string;
  /** Line of its mark, as it is; empty for none. */
  readonly mark: string;
  /** Whether the mark says what the rule says. */
  readonly isMarkTrue: boolean;
  readonly body: string;
}

/** A script, taken apart. */
export interface SieveScript {
  /** Text above the rules. */
  readonly head: string;
  /** Extensions that it requires. */
  readonly required: readonly string[];
  readonly rules: readonly ScriptRule[];
  /** Text below the rules. */
  readonly tail: string;
}

/** So often a script that cannot be read is tried again at the next mark. */
const MAX_RECOVERIES = 50;

const BYTE_ORDER_MARK = '\uFEFF';
/** The line that programs which make scripts put first. */
const GENERATED = /^\uFEFF?# Generated[^\n]*\n/;

interface Found {
  readonly before: string;
  readonly mark: string;
  readonly body: string;
  readonly isActive: boolean;
  readonly commands?: readonly SieveCommand[];
  readonly problem?: string;
}

/**
 * Takes a script apart so that `writeScript` gives it back character by character. Whatever it holds: what cannot be read
 * becomes a rule with a problem.
 */
export function readScript(source: string): SieveScript {
  return new ScriptReader(source).read();
}

class ScriptReader {
  private readonly found: Found[] = [];
  private readonly required: string[] = [];
  private head = '';
  /** Start of the text that no rule owns yet. */
  private gap = 0;
  private mark: { readonly start: number; readonly end: number } | undefined;
  private parser: SieveParser;
  private recoveries = 0;
  /** Start of the token that is looked at. */
  private offset = 0;

  constructor(private readonly source: string) {
    this.parser = new SieveParser(source, source.startsWith(BYTE_ORDER_MARK) ? 1 : 0);
    this.head = GENERATED.exec(source)?.[0] ?? '';
    this.gap = this.head.length;
  }

  read(): SieveScript {
    for (;;) {
      try {
        if (!this.readNext()) break;
      } catch (error) {
        if (!(error instanceof SieveSyntaxError)) throw error;
        this.recover(error, this.offset);
      }
    }
    return { head: this.head, required: this.required, rules: withIds(this.found), tail: this.source.slice(this.gap) };
  }

  /** False at the end of the script. */
  private readNext(): boolean {
    const token = this.parser.peekWithComments();
    this.offset = token.start;
    if (token.kind === 'end') return false;
    if (token.kind === 'comment') {
      if (token.value.startsWith(INACTIVE)) this.takeInactive(token.start);
      else {
        this.parser.takeWithComments();
        // Only what stands above a rule names it: an earlier mark names nothing.
        if (isMark(token.value)) this.mark = { start: token.start, end: this.lineEnd(token.end) };
      }
      return true;
    }
    this.takeRule(token.start);
    return true;
  }

  /** Comment lines of a rule that is not active, up to the first other line. */
  private takeInactive(start: number): void {
    let end = start;
    while (this.source.startsWith(INACTIVE, end)) end = this.lineEnd(end);
    const text = enable(this.source.slice(start, end));
    this.own(start, end, { isActive: false, ...readBody(text) });
    this.parser = new SieveParser(this.source, end);
  }

  private takeRule(start: number): void {
    const commands: SieveCommand[] = [];
    let end: number;
    for (;;) {
      const { end: commandEnd, start: _, ...command } = this.parser.takeCommand();
      commands.push(command);
      end = commandEnd;
      const name = this.peekName();
      const isSame = name === 'elsif' || name === 'else' || (isPlain(command) && name !== '' && isPlainName(name));
      if (!isSame) break;
    }
    end = this.lineEndWhenBlank(end);
    this.parser = new SieveParser(this.source, end);
    if (commands.every(({ name }) => name === 'require')) {
      for (const { arguments: values } of commands) for (const value of values) this.required.push(...textsOf(value));
      this.takeHead(end);
      return;
    }
    this.own(start, end, { isActive: true, commands });
  }

  /** The name of the command that follows; empty when something else does. */
  private peekName(): string {
    try {
      const { kind, value } = this.parser.peekWithComments();
      return kind === 'identifier' ? value : '';
    } catch (error) {
      if (error instanceof SieveSyntaxError) return '';
      throw error;
    }
  }

  /** `require` stands above all rules; what stands between belongs to the next rule. */
  private takeHead(end: number): void {
    if (this.found.length > 0) return;
    this.head = this.source.slice(0, end);
    this.gap = end;
    this.mark = undefined;
  }

  private own(start: number, end: number, rest: Pick<Found, 'isActive' | 'commands' | 'problem'>): void {
    const { mark, source } = this;
    this.found.push({
      before: source.slice(this.gap, mark?.start ?? start),
      mark: mark ? source.slice(mark.start, mark.end) : '',
      body: source.slice(mark?.end ?? start, end),
      ...rest,
    });
    this.gap = end;
    this.mark = undefined;
  }

  /** Makes a rule of what cannot be read, up to the next mark. */
  private recover(error: SieveSyntaxError, offset: number): void {
    const start = Math.max(offset, this.mark?.end ?? 0, this.gap);
    const next = ++this.recoveries > MAX_RECOVERIES ? undefined : /(?<=\n)##[ \t]*Flag:/gi;
    if (next) next.lastIndex = Math.max(start, offset + 1);
    const end = next?.exec(this.source)?.index ?? this.source.length;
    this.own(start, end, { isActive: true, problem: this.describe(error) });
    this.parser = new SieveParser(this.source, end);
  }

  private describe({ problem, offset }: SieveSyntaxError): string {
    return `${problem} (line ${this.source.slice(0, offset).split('\n').length})`;
  }

  private lineEnd(offset: number): number {
    const end = this.source.indexOf('\n', offset);
    return end < 0 ? this.source.length : end + 1;
  }

  /** Behind the line end, when nothing but a comment stands before it. */
  private lineEndWhenBlank(offset: number): number {
    const end = this.lineEnd(offset);
    return /^[ \t]*(#.*)?\r?\n?$/.test(this.source.slice(offset, end)) ? end : offset;
  }
}

const isPlain = ({ name, block }: SieveCommand): boolean => block === undefined && isPlainName(name);
const isPlainName = (name: string): boolean => !['if', 'elsif', 'else', 'require', 'foreverypart'].includes(name);

const textsOf = (value: SieveCommand['arguments'][number]): readonly string[] =>
  value.kind === 'text' ? [value.value] : value.kind === 'list' ? value.values : [];

function readBody(text: string): Pick<Found, 'commands' | 'problem'> {
  try {
    return { commands: parseCommands(text) };
  } catch (error) {
    if (!(error instanceof SieveSyntaxError)) throw error;
    return { problem: error.problem };
  }
}

/** Gives ids to rules that have none of their own. */
function withIds(found: readonly Found[]): ScriptRule[] {
  const marks = found.map(({ mark }) => readMark(mark.trimEnd()));
  const taken = new Set<number>();
  const own = marks.map((mark) => {
    if (!mark || taken.has(mark.id)) return undefined;
    taken.add(mark.id);
    return mark.id;
  });
  let next = Math.max(-1, ...taken) + 1;
  return found.map(({ before, mark, body, isActive, commands, problem }, index) => {
    const read = marks[index];
    return {
      id: own[index] ?? next++,
      name: read?.name ?? '',
      flags: read?.flags ?? [],
      isActive,
      text: isActive ? body : enable(body),
      ...(commands ? { commands } : {}),
      ...(problem === undefined ? {} : { problem }),
      kept: { before, mark, isMarkTrue: own[index] !== undefined, body },
    };
  });
}

/** A rule that no script holds yet. */
export const makeRule = (
  rule: RuleMark & Pick<ScriptRule, 'isActive'>,
  commands: readonly SieveCommand[],
): ScriptRule => ({ ...rule, commands, text: writeCommands(commands) });

/** The rule with other commands. */
export function changeCommands(rule: ScriptRule, commands: readonly SieveCommand[]): ScriptRule {
  const { problem: _, ...rest } = rule;
  return placed({ ...rest, commands, text: writeCommands(commands) }, rule.kept?.mark, rule.kept?.isMarkTrue);
}

/** The rule with another name, other flags or another state; the text of its commands stays. */
export function changeMark(
  rule: ScriptRule,
  change: Partial<Pick<ScriptRule, 'name' | 'flags' | 'isActive'>>,
): ScriptRule {
  const changed = { ...rule, ...change };
  const isSameMark = changed.name === rule.name && changed.flags.join() === rule.flags.join();
  if (isSameMark && changed.isActive === rule.isActive) return rule;
  return placed(changed, isSameMark ? rule.kept?.mark : '', isSameMark && rule.kept?.isMarkTrue);
}

const placed = (rule: ScriptRule, mark = '', isMarkTrue = false): ScriptRule =>
  rule.kept ? { ...rule, kept: { before: rule.kept.before, mark, isMarkTrue, body: bodyOf(rule) } } : rule;

const bodyOf = ({ text, isActive }: ScriptRule): string => (isActive ? text : disable(text));

/**
 * Puts a script together: what was not changed stays as it is, character by character, only that each rule gets a mark.
 * @param required extensions that the rules need
 */
export function writeScript(script: SieveScript, required: readonly string[]): string {
  let text = writeHead(script, required);
  for (const rule of script.rules) text += onLineOfItsOwn(text, writeRule(rule));
  return text + (script.tail === '' ? '' : onLineOfItsOwn(text, script.tail));
}

const onLineOfItsOwn = (above: string, part: string): string =>
  above === '' || above.endsWith('\n') || /^[ \t]*\r?\n/.test(part) ? part : `${LINE_END}${part}`;

function writeRule(rule: ScriptRule): string {
  const { kept } = rule;
  if (!kept) return `${LINE_END}${writeMark(rule)}${bodyOf(rule)}`;
  const mark = kept.isMarkTrue && kept.mark !== '' ? kept.mark : writeMark(rule);
  return `${kept.before}${kept.before === '' || kept.before.endsWith('\n') ? '' : LINE_END}${mark}${kept.body}`;
}

/** The text above the rules, in which one line names the extensions. */
function writeHead({ head, required: old }: SieveScript, required: readonly string[]): string {
  const wanted = [...new Set(required)].sort();
  if (wanted.join('\n') === [...new Set(old)].sort().join('\n')) return head;
  const line = wanted.length === 0 ? '' : `require [ ${wanted.map(quote).join(', ')} ] ;${LINE_END}`;
  const parser = new SieveParser(head, head.startsWith(BYTE_ORDER_MARK) ? 1 : 0);
  let text = '';
  let from = 0;
  for (let token = parser.peekWithComments(); token.kind !== 'end'; token = parser.peekWithComments()) {
    if (token.kind === 'comment') {
      parser.takeWithComments();
      continue;
    }
    const { start, end } = parser.takeCommand();
    text += head.slice(from, start) + (from === 0 ? line : '');
    from = end + (/^[ \t]*\r?\n/.exec(head.slice(end))?.[0].length ?? 0);
  }
  text += head.slice(from);
  return from > 0 || line === '' ? text : text + onLineOfItsOwn(text, line);
}
