import { createHash, hkdfSync, randomInt } from 'node:crypto';

/** Alphabet without look-alike characters, 29 letters. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'.replace(/[il1o0]/g, '');
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Generates an application password: four groups of four letters, 19 characters, about 78 random bits. */
export function generateAppPassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/** True for texts in the form of an application password. */
export const isAppPasswordFormat = (text: string): boolean => /^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/.test(text);

/** Hashes an application password for storage; it has too many random bits to be guessed from a fast hash. */
export const hashAppPassword = (password: string): string =>
  createHash('sha256').update(`groupware/app-password\n${password}`).digest('base64url');

/** The key by which an application password seals what it gives access to. */
export const deriveAppPasswordKey = (password: string): Buffer =>
  Buffer.from(hkdfSync('sha256', password, 'groupware', 'app-password/key', 32));
