import { FileStorageErrors } from '@groupware/contracts';
import { DOCUMENT_TEXT_LIMITS } from '@groupware/contracts';

const FORBIDDEN = /[<>:/?*"\\|]/g;
const RESERVED = /^(con|prn|aux|nul|com[1-9]|lpt[1-9])$/i;

/**
 * Checks a name by the rules of all systems that clients run on, which are stricter than those of documents.
 * @throws FILE_STORAGE-0065, FILE_STORAGE-0066, FILE_STORAGE-0067, FILE_STORAGE-0068
 */
export function requirePortableName(name: string): void {
  const bad = [...new Set(name.match(FORBIDDEN) ?? [])];
  if (bad.length > 0) throw FileStorageErrors.badCharacters(bad.join(','));
  if (RESERVED.test(name)) throw FileStorageErrors.reservedName(name);
  if (name === '.' || name === '..') throw FileStorageErrors.onlyDots(name);
  if (/[.\s]$/.test(name)) throw FileStorageErrors.badEnd(name);
}

/** A name taken apart, to be numbered. */
export interface NumberedName {
  readonly base: string;
  /** The last extension with its dot, or nothing. */
  readonly extension: string;
  /** Number of the name itself, 0 without. */
  readonly number: number;
}

/** Room for ` (999999)`. */
const NUMBER_LENGTH = 9;

/** Takes a name apart: `report (2).txt` has the base `report`, the extension `.txt` and the number 2. */
export function splitName(name: string): NumberedName {
  const dot = name.lastIndexOf('.');
  const hasExtension = dot > 0 && dot < name.length - 1;
  const extension = hasExtension ? name.slice(dot) : '';
  const whole = hasExtension ? name.slice(0, dot) : name;
  const match = /^(.+) \((\d{1,6})\)$/s.exec(whole);
  const base = match ? match[1]! : whole;
  const most = DOCUMENT_TEXT_LIMITS.filename - extension.length - NUMBER_LENGTH;
  return { base: [...base].slice(0, Math.max(1, most)).join(''), extension, number: match ? Number(match[2]) : 0 };
}

/** A name with a number that it did not have: `report (2).txt` becomes `report (3).txt` by 1; 0 is the name itself. */
export function numberName(name: string, number: number): string {
  if (number === 0) return name;
  const { base, extension, number: first } = splitName(name);
  return `${base} (${first + number})${extension}`;
}
