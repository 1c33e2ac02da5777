import { createHash } from 'node:crypto';

/** A unique id as it can be stored, and compared with stored ones: Postgres takes no NUL and no halves of surrogate pairs. */
export const toStorableUid = (uid: string): string => Buffer.from(uid.replaceAll('\u0000', '')).toString();

/** A unique id, in the form of a UUID, that is the same whenever it is made of the same text. */
export function deriveUid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
