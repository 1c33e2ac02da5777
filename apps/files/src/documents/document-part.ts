import { FileErrors, type FileContentQuery } from '@groupware/contracts';

/** The part that `off` and `len` name. @throws FLS-0019, FLS-0020 */
export function resolvePart(
  { off, len }: FileContentQuery,
  name: string,
  sizeBytes: number,
): { start: number; length: number } | undefined {
  if (off === undefined && len === undefined) return undefined;
  const start = off ?? 0;
  if (start < 0 || start > sizeBytes) throw FileErrors.badOffset(start, name, sizeBytes);
  const length = len === undefined || len === -1 ? sizeBytes - start : len;
  if (length < 0) throw FileErrors.badLength(length, name, sizeBytes);
  return { start, length: Math.min(length, sizeBytes - start) };
}
