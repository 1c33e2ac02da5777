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
  const match = /^bytes=\s*(?:(\d{1,15})\s*-\s*(\d{1,15})?|-\s*(\d{1,15}))\s*$/i.exec(header ?? '');
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
