import { createHash } from 'node:crypto';

/** The tag of a text: its quoted SHA-256. */
export const computeEntityTag = (text: string): string => `"${createHash('sha256').update(text).digest('base64url')}"`;

/** True when If-None-Match names the tag: weak comparison, lists and `*` (RFC 9110, section 13.1.2). */
export function matchesEntityTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
}
