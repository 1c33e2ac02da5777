/** Position of a client: `<epoch>-<number>-<time>`, in base 36. Clients keep it as an opaque text. */
export interface Position {
  readonly epoch: number;
  readonly seq: number;
  /** When the notice with the number was committed, ms UTC; 0: not known. */
  readonly at: number;
}

/** Whether two positions with the same number mean the same notice, as far as is known. */
export const isSameNotice = (a: number, b: number): boolean => a === b || a === 0 || b === 0;

/** The text of a position. */
export const positionText = ({ epoch, seq, at }: Position): string =>
  [epoch, seq, at].map((part) => part.toString(36)).join('-');

/** Reads a position; undefined for any other text. */
export function readPosition(text: string | undefined): Position | undefined {
  const match = /^([0-9a-z]{1,11})-([0-9a-z]{1,11})(?:-([0-9a-z]{1,11}))?$/.exec(text ?? '');
  if (!match) return undefined;
  const [epoch, seq, at] = [match[1]!, match[2]!, match[3] ?? '0'].map((part) => parseInt(part, 36)) as [
    number,
    number,
    number,
  ];
  return [epoch, seq, at].every(Number.isSafeInteger) ? { epoch, seq, at } : undefined;
}
