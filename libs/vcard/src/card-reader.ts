import { TextDecoder } from 'node:util';
import type { Card, CardErrorReason, CardProperty, CardVersion, CardWarning, ReadCard } from './card';
import { mergeLabels, renameGroupProperties } from './older-forms';
import { readPhysicalLines, type PhysicalLine } from './physical-lines';
import { findDecoder, holdsBytes, isBase64, isQuotedPrintable, readProperty } from './property-reader';
import { escapeText } from './text-values';

/** How a file is read; all limits hold whatever the file contains. */
export interface CardReadOptions {
  /** WHATWG label of the encoding. Without it UTF-8 (also UTF-16 with a byte order mark), else windows-1252, line by line. */
  readonly charset?: string;
  /** Size of one card in octets; default 4 MiB. */
  readonly maxCardBytes?: number;
  /** Lines of one card; default 50,000. */
  readonly maxCardLines?: number;
  /** Octets of all that is no picture, sound or key in one card; default 640 KiB. One card is read in one go. */
  readonly maxCardTextBytes?: number;
  /** Properties of one card; default 6,000: a list may have 5,000 members. */
  readonly maxCardProperties?: number;
  /** Asked after every line and property: reading goes on when what it answers is settled. */
  readonly pause: () => Promise<void> | undefined;
}

const DEFAULTS = {
  maxCardBytes: 4 * 1024 * 1024,
  maxCardLines: 50_000,
  maxCardTextBytes: 640 * 1024,
  maxCardProperties: 6_000,
};
const MAX_WARNINGS = 50;
const BEGIN = /^(?:[\w-]+\.)?BEGIN\s*:\s*VCARD\s*$/i;
const END = /^(?:[\w-]+\.)?END\s*:\s*VCARD\s*$/i;
const VERSION = /^(?:[\w-]+\.)?VERSION(?:;[^:]*)?:\s*(?:(\S+)\s*)?$/i;
const AGENT = /^(?:[\w-]+\.)?AGENT(?:;[^:]*)?:\s*$/i;
const VERSIONS: Readonly<Record<string, CardVersion>> = {
  '2.1': '2.1',
  '3.0': '3.0',
  '4.0': '4.0',
  '3': '3.0',
  '4': '4.0',
};

interface OpenCard {
  readonly line: number;
  /** Unfolded lines, their octets one per character. */
  readonly lines: PhysicalLine[];
  pending:
    | {
        readonly pieces: string[];
        readonly line: number;
        readonly isQuoted: boolean;
        readonly isBase64: boolean;
        readonly isText: boolean;
      }
    | undefined;
  bytes: number;
  /** Of {@link bytes} those that are text. */
  textBytes: number;
  lineCount: number;
  /** Lines of a card within this one, as the value of AGENT. */
  nested: string[] | undefined;
  isTooLarge: boolean;
}

/**
 * Reads a file of vCards (2.1, 3.0, 4.0) as it streams in; memory does not grow with the file. Every card gives exactly one result,
 * in the order of the file. Never throws for what the file contains; errors of the source are passed on.
 */
export async function* readCards(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: CardReadOptions,
): AsyncGenerator<ReadCard, void, undefined> {
  const limits = { ...DEFAULTS, ...options };
  const charset = findDecoder(options.charset);
  let open: OpenCard | undefined;
  let index = 0;
  for await (const { octets, line } of readPhysicalLines(source)) {
    const pause = options.pause();
    if (pause) await pause;
    if (BEGIN.test(octets)) {
      if (open && isAgent(open)) {
        flush(open);
        open.nested = [octets];
        continue;
      }
      if (open) yield { index: index++, ...toFailure(open, 'unclosed', 'the next card begins before its end') };
      open = openCard(line);
      continue;
    }
    if (!open) continue;
    open.bytes += octets.length;
    open.lineCount += 1;
    if (open.bytes > limits.maxCardBytes || open.lineCount > limits.maxCardLines) open.isTooLarge = true;
    if (open.textBytes > limits.maxCardTextBytes || open.lines.length > limits.maxCardProperties)
      open.isTooLarge = true;
    if (END.test(octets)) {
      if (open.nested) {
        closeAgent(open, octets);
        continue;
      }
      flush(open);
      yield { index: index++, ...(await toResult(open, charset, options.pause)) };
      open = undefined;
    } else if (open.isTooLarge) {
      open.lines.length = 0;
      open.pending = undefined;
    } else if (open.nested) {
      open.nested.push(octets);
      open.textBytes += octets.length;
    } else accept(open, octets, line);
  }
  if (open) yield { index, ...toFailure(open, 'unclosed', 'the file ends before the card') };
}

const openCard = (line: number): OpenCard => ({
  line,
  lines: [],
  pending: undefined,
  bytes: 0,
  textBytes: 0,
  lineCount: 0,
  nested: undefined,
  isTooLarge: false,
});

/** Adds a physical line to the one that it continues, or begins another one. */
function accept(open: OpenCard, octets: string, line: number): void {
  const { pending } = open;
  const add = (piece: string): void => {
    pending!.pieces.push(piece);
    if (pending!.isText) open.textBytes += piece.length;
  };
  if (pending?.isQuoted && pending.pieces.at(-1)!.endsWith('=')) {
    pending.pieces[pending.pieces.length - 1] = pending.pieces.at(-1)!.slice(0, -1);
    return add(octets);
  }
  if (pending && octets.length > 1 && (octets[0] === ' ' || octets[0] === '\t')) return add(octets.slice(1));
  if (octets.trim() === '') return flush(open);
  if (pending?.isBase64 && /^[A-Za-z0-9+/]+={0,2}$/.test(octets)) return add(octets);
  flush(open);
  const isText = !holdsBytes(octets);
  open.pending = { pieces: [octets], line, isQuoted: isQuotedPrintable(octets), isBase64: isBase64(octets), isText };
  if (isText) open.textBytes += octets.length;
}

function flush(open: OpenCard): void {
  const { pending } = open;
  open.pending = undefined;
  if (pending) open.lines.push({ octets: pending.pieces.join(''), line: pending.line });
}

const isAgent = ({ pending, nested }: OpenCard): boolean =>
  nested === undefined && pending !== undefined && AGENT.test(pending.pieces.join(''));

/** Keeps a card within a card as the text of AGENT, as version 3.0 has it. */
function closeAgent(open: OpenCard, end: string): void {
  const text = [...open.nested!, end, ''].join('\n');
  open.nested = undefined;
  const last = open.lines.pop()!;
  open.lines.push({ octets: `${last.octets.trimEnd()}${escapeText(text)}`, line: last.line });
}

const toFailure = (open: OpenCard, reason: CardErrorReason, message: string): Omit<ReadCard, 'index'> => ({
  line: open.line,
  error: { reason, message },
  warnings: [],
});

async function toResult(
  open: OpenCard,
  charset: TextDecoder | undefined,
  pause: CardReadOptions['pause'],
): Promise<Omit<ReadCard, 'index'>> {
  if (open.isTooLarge) return toFailure(open, 'too-large', 'the card is too large');
  const warnings: CardWarning[] = [];
  const warn = (warning: CardWarning): void => {
    if (warnings.length < MAX_WARNINGS) warnings.push(warning);
  };
  const named = open.lines.flatMap(({ octets }) => {
    const version = VERSION.exec(octets);
    return version ? [version[1] ?? ''] : [];
  });
  const version = named.length === 0 ? '3.0' : VERSIONS[named[0]!];
  if (!version) return toFailure(open, 'unknown-version', `unknown version ${named[0]!.slice(0, 32)}`);
  if (named.length === 0) warn({ code: 'missing-version', message: 'no VERSION: read as 3.0', line: open.line });
  const properties: CardProperty[] = [];
  for (const { octets, line } of open.lines) {
    const pausing = pause();
    if (pausing) await pausing;
    if (VERSION.test(octets)) continue;
    const property = readProperty(octets, version, charset);
    if (property) properties.push(property);
    else warn({ code: 'malformed-line', message: 'a line that is no property was left out', line });
  }
  if (properties.length === 0) return { ...toFailure(open, 'empty', 'the card is empty'), warnings };
  const card: Card = { version, properties: mergeLabels(renameGroupProperties(properties)) };
  return { line: open.line, card, warnings };
}
