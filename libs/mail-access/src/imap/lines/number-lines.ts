import { pauseAfterTurn } from '@groupware/service-kit';
import { parseUidSet } from '../imap-tokens';

/** Bytes between two looks at how long the turn lasts. */
const SLICE = 32_768;
const ZERO = 0x30;
const NINE = 0x39;
const MAX_NUMBER = 0xffff_ffff;
/** Longest set of ESEARCH that is read at once, characters. */
const SET_SLICE = 32_768;

/** Collects the numbers of SEARCH and SORT responses (RFC 3501, RFC 5256), in one pass, in slices. */
export class NumberLines {
  readonly numbers: number[] = [];

  /** @param most more numbers are ignored */
  constructor(private readonly most = 10_000_000) {}

  /** Reads a line of numbers; what is none, such as a list of `MODSEQ`, is skipped. */
  async appendNumbers(line: Buffer): Promise<void> {
    let depth = 0;
    let value = -1;
    for (let at = 0; at <= line.length; at += 1) {
      const byte = line[at] ?? 0x20;
      if (byte >= ZERO && byte <= NINE) {
        if (depth === 0) value = (value < 0 ? 0 : value) * 10 + byte - ZERO;
      } else {
        if (value > 0 && value <= MAX_NUMBER && this.numbers.length < this.most) this.numbers.push(value);
        value = -1;
        if (byte === 0x28) depth += 1;
        else if (byte === 0x29 && depth > 0) depth -= 1;
      }
      if (at % SLICE === SLICE - 1) await pauseAfterTurn();
    }
  }

  /** Reads the set behind `ALL` of an ESEARCH response (RFC 4731). */
  async appendSet(line: Buffer): Promise<void> {
    const start = / ALL +(?=\d)/i.exec(line.toString('latin1', 0, 1_024));
    if (!start) return;
    let from = start.index + start[0].length;
    const space = line.indexOf(0x20, from);
    const end = space < 0 ? line.length : space;
    while (from < end && this.numbers.length < this.most) {
      const comma = from + SET_SLICE < end ? line.indexOf(0x2c, from + SET_SLICE) : end;
      const to = comma < 0 || comma > end ? end : comma;
      for (const uid of parseUidSet(line.toString('latin1', from, to), this.most - this.numbers.length))
        this.numbers.push(uid);
      from = to + 1;
      await pauseAfterTurn();
    }
  }
}
