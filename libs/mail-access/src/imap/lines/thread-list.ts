import { pauseAfterTurn } from '@groupware/service-kit';
import type { UidThread } from '../imap-tokens';

/** Bytes between two looks at how long the turn lasts. */
const SLICE = 16_384;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN = 0x28;
const CLOSE = 0x29;
const MAX_NUMBER = 0xffff_ffff;

/** A list whose end is not read yet. */
interface OpenList {
  /** Mails that answer each other, the first one first. */
  readonly chain: number[];
  /** Lists within it: answers to the last mail of the chain. */
  readonly nested: UidThread[];
}

/** Collects the threads of THREAD responses (RFC 5256, section 4), in one pass, in slices, whatever their depth. */
export class ThreadList {
  readonly threads: UidThread[] = [];
  private mails = 0;

  constructor(
    /** More mails are ignored. */
    private readonly most = 1_000_000,
    /** Deeper lists count as their parents. */
    private readonly maxDepth = 10_000,
  ) {}

  /** Reads a line of lists; those that never end, end with it. */
  async appendThreads(line: Buffer): Promise<void> {
    const open: OpenList[] = [];
    let skipped = 0;
    let value = -1;
    for (let at = 0; at <= line.length; at += 1) {
      const byte = line[at] ?? 0x20;
      if (byte >= ZERO && byte <= NINE) value = (value < 0 ? 0 : value) * 10 + byte - ZERO;
      else {
        if (value >= 0) this.addMail(open[open.length - 1], value);
        value = -1;
        if (byte === OPEN) {
          if (open.length < this.maxDepth) open.push({ chain: [], nested: [] });
          else skipped += 1;
        } else if (byte === CLOSE) {
          if (skipped > 0) skipped -= 1;
          else this.closeList(open);
        }
      }
      if (at % SLICE === SLICE - 1) await pauseAfterTurn();
    }
    while (open.length > 0) this.closeList(open);
  }

  private addMail(list: OpenList | undefined, uid: number): void {
    if (!list || uid === 0 || uid > MAX_NUMBER || this.mails >= this.most) return;
    this.mails += 1;
    // Behind a list the grammar has no mails; none is lost all the same.
    if (list.nested.length > 0) list.nested.push({ uid, children: [] });
    else list.chain.push(uid);
  }

  private closeList(open: OpenList[]): void {
    const list = open.pop();
    if (!list) return;
    const { chain, nested } = list;
    if (chain.length === 0 && nested.length === 0) return;
    let top: UidThread = { uid: chain.pop() ?? 0, children: nested };
    for (let uid = chain.pop(); uid !== undefined; uid = chain.pop()) top = { uid, children: [top] };
    (open[open.length - 1]?.nested ?? this.threads).push(top);
  }
}
