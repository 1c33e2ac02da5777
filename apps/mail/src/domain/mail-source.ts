import { MailErrors } from '@groupware/contracts';
import { pauseAfterTurn } from '@groupware/service-kit';

/** The source of a mail, its headers apart from the rest. */
export interface MailSource {
  /** Header lines with their folded ones, without line ends, as bytes (Latin-1). */
  readonly headers: readonly string[];
  /** The empty line and what follows it. */
  readonly rest: Buffer;
}

const LF = 0x0a;
const CR = 0x0d;
const SLICE = 1024 * 1024;
/** Largest header block, bytes. */
const MAX_HEADER_BYTES = 1024 * 1024;
const HEADER = /^[!-9;-~]{1,200}[ \t]*:/;

/** Writes all line ends as CR LF. */
async function normalizeLineEnds(source: Buffer): Promise<Buffer> {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = source.indexOf(LF); at >= 0; at = source.indexOf(LF, at + 1)) {
    if (at > 0 && source[at - 1] === CR) continue;
    parts.push(source.subarray(from, at), Buffer.from('\r\n'));
    from = at + 1;
    const turn = parts.length % 1_024 === 0 ? pauseAfterTurn() : undefined;
    if (turn) await turn;
  }
  if (from === 0) return source;
  parts.push(source.subarray(from));
  return Buffer.concat(parts);
}

/** Reads the bytes of a mail, and requires that they are one. @throws MSG-0101 */
export async function readSource(bytes: Buffer): Promise<MailSource> {
  const probe = bytes.subarray(0, SLICE);
  if (!HEADER.test(probe.toString('latin1', 0, 256))) throw MailErrors.invalidMessage('it does not begin with headers');
  const source = await normalizeLineEnds(bytes);
  const end = source.indexOf('\r\n\r\n');
  const headerEnd = end < 0 ? source.length : end + 2;
  if (headerEnd > MAX_HEADER_BYTES) throw MailErrors.invalidMessage('its headers are too large');
  const block = source.toString('latin1', 0, headerEnd);
  if (block.includes('\0')) throw MailErrors.invalidMessage('its headers hold zeros');
  const headers = block.split(/\r\n(?![ \t])/).filter((line) => line !== '');
  const wrong = headers.find((line) => !HEADER.test(line));
  if (wrong !== undefined) throw MailErrors.invalidMessage('a line of its headers is none');
  return { headers, rest: end < 0 ? Buffer.from('\r\n') : source.subarray(headerEnd) };
}

/** The header block as bytes. */
export const toHeaderBlock = ({ headers }: Pick<MailSource, 'headers'>): Buffer =>
  Buffer.from(headers.map((line) => `${line}\r\n`).join(''), 'latin1');

/** The whole source. */
export const writeSource = (source: MailSource): Buffer => Buffer.concat([toHeaderBlock(source), source.rest]);

/** Without headers of that name. */
export const withoutHeader = ({ headers, rest }: MailSource, name: string): MailSource => ({
  headers: headers.filter((line) => line.slice(0, line.indexOf(':')).trim().toLowerCase() !== name.toLowerCase()),
  rest,
});

/** With a header before the others. */
export const withHeader = ({ headers, rest }: MailSource, line: string): MailSource => ({
  headers: [line, ...headers],
  rest,
});
