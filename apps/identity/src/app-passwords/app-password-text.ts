import { createHash, hkdfSync, randomInt } from 'node:crypto';

/** Letters that nobody confuses, 29 of them. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'.replace(/[il1o0]/g, '');
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** A fresh application password: four groups of four letters, 19 characters, about 78 random bits. */
export function newAppPassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/** True for texts in the form of an application password. */
export const looksLikeAppPassword = (text: string): boolean => /^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/.test(text);

/** What is stored of an application password: it has too many random bits to be guessed from a fast hash. */
export const hashOfAppPassword = (password: string): string =>
  createHash('sha256').update(`groupware/app-password\n${password}`).digest('base64url');

/** The key by which an application password seals what it gives access to. */
export const keyOfAppPassword = (password: string): Buffer =>
  Buffer.from(hkdfSync('sha256', password, 'groupware', 'app-password/key', 32));
