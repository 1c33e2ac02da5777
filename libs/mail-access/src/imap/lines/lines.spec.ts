import fc from 'fast-check';
import { formatUidSet, type UidThread } from '../imap-tokens';
import { NumberLines } from './number-lines';
import { ThreadList } from './thread-list';

async function readNumbers(line: string, most?: number): Promise<number[]> {
  const lines = new NumberLines(most);
  await lines.appendNumbers(Buffer.from(line));
  return lines.numbers;
}
async function readSet(line: string, most?: number): Promise<number[]> {
  const lines = new NumberLines(most);
  await lines.appendSet(Buffer.from(line));
  return lines.numbers;
}
async function readThreads(line: string, most?: number, depth?: number): Promise<UidThread[]> {
  const list = new ThreadList(most, depth);
  await list.appendThreads(Buffer.from(line));
  return list.threads;
}
const leaf = (uid: number, ...children: UidThread[]): UidThread => ({ uid, children });
const uid = fc.integer({ min: 1, max: 0xffff_ffff });

/** Recursive, after the grammar of RFC 5256. */
function parseNaively(text: string): UidThread[] {
  let at = 0;
  const lists = (): UidThread[] => {
    const found: UidThread[] = [];
    while (text[at] === '(') {
      at += 1;
      const chain = /^[\d ]*/.exec(text.slice(at))![0];
      at += chain.length;
      const nested = lists();
      at += 1;
      const numbers = chain.split(' ').filter(Boolean).map(Number);
      const last = leaf(numbers.pop() ?? 0, ...nested);
      found.push(numbers.reduceRight((below, number) => leaf(number, below), last));
    }
    return found;
  };
  return lists();
}

/** Threads as a server writes them. */
const threadText = fc.letrec<{ list: string; nested: string }>((tie) => ({
  nested: fc.oneof(
    { maxDepth: 4 },
    fc.constant(''),
    fc.array(tie('list'), { minLength: 2, maxLength: 3 }).map((lists) => lists.join('')),
  ),
  list: fc
    .tuple(fc.array(uid, { minLength: 1, maxLength: 4 }), tie('nested'))
    .map(([numbers, nested]) => `(${numbers.join(' ')}${nested && ` ${nested}`})`),
})).list;

describe('numbers of SEARCH and SORT', () => {
  it('are read in their order', async () => {
    expect(await readNumbers(' 3 1 2')).toEqual([3, 1, 2]);
    expect(await readNumbers('')).toEqual([]);
    expect(await readNumbers(' 4294967295 4294967296 0 7 (MODSEQ 917162500)')).toEqual([4294967295, 7]);
    expect(await readNumbers(' 1 2 3', 2)).toEqual([1, 2]);
    await fc.assert(
      fc.asyncProperty(fc.array(uid), async (uids) =>
        expect(await readNumbers(uids.map((each) => ` ${each}`).join(''))).toEqual(uids),
      ),
    );
  });

  it('are read of sets', async () => {
    expect(await readSet(' (TAG "A1") UID ALL 5,3:1,9')).toEqual([5, 3, 2, 1, 9]);
    expect(await readSet(' (TAG "A1") UID COUNT 0')).toEqual([]);
    expect(await readSet(' (TAG "A1") UID ALL 1:4294967295 COUNT 3', 3)).toEqual([1, 2, 3]);
    await fc.assert(
      fc.asyncProperty(fc.array(uid, { minLength: 1 }), async (uids) =>
        expect(await readSet(` (TAG "A1") UID ALL ${formatUidSet(uids)}`)).toEqual(uids),
      ),
    );
  });

  it('are read in one pass, however many they are', async () => {
    const uids = Array.from({ length: 500_000 }, (_, index) => index * 3 + 1_000_000);
    expect((await readNumbers(uids.map((each) => ` ${each}`).join(''))).join()).toBe(uids.join());
    expect((await readSet(` (TAG "A1") UID ALL ${formatUidSet(uids)}`)).join()).toBe(uids.join());
  });
});

describe('lists of THREAD', () => {
  it('are read as trees', async () => {
    // The example of RFC 5256.
    expect(await readThreads(' (2)(3 6 (4 23)(44 7 96))')).toEqual([
      leaf(2),
      leaf(3, leaf(6, leaf(4, leaf(23)), leaf(44, leaf(7, leaf(96))))),
    ]);
    expect(await readThreads(' ((3)(5))')).toEqual([leaf(0, leaf(3), leaf(5))]);
    expect(await readThreads('')).toEqual([]);
  });

  it('are those that a parser after the grammar reads', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(threadText), async (lists) =>
        expect(await readThreads(` ${lists.join('')}`)).toEqual(parseNaively(lists.join(''))),
      ),
    );
  });

  it('lose no mail when they are malformed', async () => {
    expect(await readThreads(' (1 (2) 3')).toEqual([leaf(1, leaf(2), leaf(3))]);
    expect(await readThreads(' )) () (()) 5 (4294967296 4)')).toEqual([leaf(4)]);
    expect(await readThreads(' (1)(2)(3)', 2)).toEqual([leaf(1), leaf(2)]);
    expect(await readThreads(' (1 ((2 (3))))(4)', 9, 2)).toEqual([leaf(1, leaf(2, leaf(3))), leaf(4)]);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom('(', ')', ' ', '1', '2', 'x', '"') }), async (text) => {
        expect(Array.isArray(await readThreads(text))).toBe(true);
      }),
    );
  });

  it('may be as deep as a line is long', async () => {
    const count = 1_000_000;
    const deep = await readThreads(`${'('.repeat(count)}7${')'.repeat(count)}`);
    let depth = 0;
    let [thread] = deep;
    for (; thread?.children[0]; [thread] = thread.children) depth += 1;
    expect([deep.length, thread?.uid, depth]).toEqual([1, 7, 9_999]);
    const chain = await readThreads(` (${Array.from({ length: 100_000 }, (_, index) => index + 1).join(' ')})`);
    let last = chain[0]!;
    while (last.children[0]) [last] = last.children as [UidThread];
    expect(last.uid).toBe(100_000);
  });
});
