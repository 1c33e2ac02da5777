import { jsonText, type JsonText } from '@groupware/contracts';
import { pauseAfterTurn } from './event-loop';

/** Lists below this length are handled in one go. */
const SMALL = 256;

/** Sorts a list of any length, stable and in place of none; others have their turn meanwhile. */
export async function sortInSlices<T>(list: readonly T[], compare: (left: T, right: T) => number): Promise<T[]> {
  if (list.length <= SMALL) return [...list].sort(compare);
  let runs: T[][] = [];
  for (let start = 0; start < list.length; start += SMALL) {
    const turn = pauseAfterTurn();
    if (turn) await turn;
    runs.push(list.slice(start, start + SMALL).sort(compare));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(index + 1 < runs.length ? await merge(runs[index]!, runs[index + 1]!, compare) : runs[index]!);
    runs = merged;
  }
  return runs[0]!;
}

async function merge<T>(left: readonly T[], right: readonly T[], compare: (left: T, right: T) => number): Promise<T[]> {
  const merged: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length && r < right.length) {
    const end = merged.length + SMALL;
    while (merged.length < end && l < left.length && r < right.length)
      merged.push(compare(left[l]!, right[r]!) <= 0 ? left[l++]! : right[r++]!);
    const turn = pauseAfterTurn();
    if (turn) await turn;
  }
  return merged.concat(left.slice(l), right.slice(r));
}

/** A list as JSON of any length: a long one is written while it is sent, and others have their turn meanwhile. */
export const toJsonList = <T>(list: readonly T[]): T[] | JsonText =>
  list.length <= SMALL ? [...list] : jsonText(writeJson([['', list]], '[', ']'));

/** A list of lists as JSON, the same way. */
export const toJsonNestedList = <T>(lists: T[][]): T[][] | JsonText =>
  lists.every((list) => list.length <= SMALL)
    ? lists
    : jsonText(
        writeJson(
          lists.map((list, index) => [index > 0 ? ',[' : '[', list]),
          '[',
          ']',
          ']',
        ),
      );

/** An object of lists as JSON, the same way. */
export function toJsonLists<T>(
  lists: Readonly<Record<string, readonly T[]>>,
): Readonly<Record<string, readonly T[]>> | JsonText {
  const entries = Object.entries(lists);
  if (entries.every(([, list]) => list.length <= SMALL)) return lists;
  return jsonText(
    writeJson(
      entries.map(([key, list], index) => [`${index > 0 ? ',' : ''}${JSON.stringify(key)}:[`, list]),
      '{',
      '}',
      ']',
    ),
  );
}

async function* writeJson(
  lists: readonly (readonly [opening: string, list: readonly unknown[]])[],
  start: string,
  end: string,
  closing = '',
): AsyncGenerator<Uint8Array> {
  let text = start;
  for (const [opening, list] of lists) {
    text += opening;
    for (const [index, item] of list.entries()) {
      text += `${index > 0 ? ',' : ''}${JSON.stringify(item)}`;
      const turn = pauseAfterTurn();
      if (turn) await turn;
      if (text.length < CHUNK) continue;
      yield Buffer.from(text);
      text = '';
    }
    text += closing;
  }
  yield Buffer.from(text + end);
}

/** Text of any length, encoded while it is gathered: no piece of work is as long as the text. */
export class TextPieces {
  private readonly encoded: Uint8Array[] = [];
  private rest = '';

  /** Adds whole characters. */
  add(text: string): void {
    this.rest += text;
    if (this.rest.length >= CHUNK) this.encode();
  }

  /** Adds what another one gathered. */
  append({ encoded, rest }: TextPieces): void {
    if (encoded.length > 0) this.encode();
    for (const piece of encoded) this.encoded.push(piece);
    this.add(rest);
  }

  /** The whole as an answer: a long one is sent no faster than the client reads. */
  toJson(): JsonText {
    if (this.encoded.length === 0) return jsonText(this.rest);
    this.encode();
    return jsonText(readPieces(this.encoded));
  }

  private encode(): void {
    this.encoded.push(Buffer.from(this.rest));
    this.rest = '';
  }
}

async function* readPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** One JSON array of items that were written before. */
export function joinToJson(items: readonly TextPieces[]): JsonText {
  const all = new TextPieces();
  for (const [index, item] of items.entries()) {
    all.add(index === 0 ? '[' : ',');
    all.append(item);
  }
  all.add(items.length === 0 ? '[]' : ']');
  return all.toJson();
}

/** Characters that are sent at a time. */
const CHUNK = 65_536;
