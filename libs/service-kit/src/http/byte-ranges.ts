/** One range of a file, both bounds included, bytes. */
export interface WantedRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a Range header (RFC 9110 section 14). Undefined: answer the whole file, also for several ranges, other units and
 * malformed headers, which a server may ignore. `unsatisfiable`: no byte of the file is wanted.
 */
export function rangeOf(header: string | undefined, sizeBytes: number): WantedRange | 'unsatisfiable' | undefined {
  const match = /^bytes=\s*(?:(\d{1,15})\s*-(?:\s*(\d{1,15}))?|-\s*(\d{1,15}))$/i.exec(header?.trim() ?? '');
  if (!match) return undefined;
  const [, first, last, suffix] = match;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  if (last !== undefined && Number(last) < start) return undefined;
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: Math.min(last === undefined ? Infinity : Number(last), sizeBytes - 1) };
}

/** Most ranges that one request may name; others get the whole file. */
const MAX_RANGES = 16;

/**
 * Reads a Range header that may name several ranges: those that the file has, in the order asked for. `unsatisfiable`: it has
 * none of them, or they overlap, which no client needs (RFC 9110 section 14.2).
 */
export function rangesOf(
  header: string | undefined,
  sizeBytes: number,
): readonly WantedRange[] | 'unsatisfiable' | undefined {
  const list = /^bytes=(.*)$/i.exec(header?.trim() ?? '')?.[1]?.split(',') ?? [];
  if (list.length === 0 || list.length > MAX_RANGES) return undefined;
  const found: WantedRange[] = [];
  for (const each of list) {
    const range = rangeOf(`bytes=${each}`, sizeBytes);
    if (!range) return undefined;
    if (range !== 'unsatisfiable') found.push(range);
  }
  const sorted = [...found].sort((one, other) => one.start - other.start);
  const overlaps = sorted.some(({ start }, index) => index > 0 && start <= sorted[index - 1]!.end);
  return found.length === 0 || overlaps ? 'unsatisfiable' : found;
}

const strong = (tag: string): string => tag.trim().replace(/^W\//, '');

/** True when If-None-Match names the tag: the client has these bytes already. */
export const isKnown = (header: string | undefined, etag: string | undefined): boolean =>
  header !== undefined &&
  etag !== undefined &&
  (header.trim() === '*' || header.split(',').some((tag) => strong(tag) === strong(etag)));

/** True when If-Match rules the tag out. A file without a tag fits every condition but none that names one. */
export const isOther = (header: string | undefined, etag: string | undefined): boolean =>
  header !== undefined && header.trim() !== '*' && !header.split(',').some((tag) => tag.trim() === etag);

/** False when If-Range names another version: the range then belongs to a file that is gone. Dates are not compared. */
export const isSameVersion = (header: string | undefined, etag: string | undefined): boolean =>
  header === undefined || (etag !== undefined && header.trim() === etag);

/** True when If-Modified-Since names the time of the last change or a later one; false for what is no date. */
export const isUnmodified = (header: string | undefined, modified: string | undefined): boolean =>
  header !== undefined && modified !== undefined && Date.parse(modified) <= Date.parse(header);
