/** Where a client stands: `<epoch>-<number>`, in base 36. Clients keep it as an opaque text. */
export interface Position {
  readonly epoch: number;
  readonly seq: number;
}

/** The text of a position. */
export const positionText = ({ epoch, seq }: Position): string => `${epoch.toString(36)}-${seq.toString(36)}`;

/** Reads a position; undefined for any other text. */
export function readPosition(text: string | undefined): Position | undefined {
  const match = /^([0-9a-z]{1,11})-([0-9a-z]{1,11})$/.exec(text ?? '');
  if (!match) return undefined;
  const [epoch, seq] = [parseInt(match[1]!, 36), parseInt(match[2]!, 36)];
  return Number.isSafeInteger(epoch) && Number.isSafeInteger(seq) ? { epoch, seq } : undefined;
}
