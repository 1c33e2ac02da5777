import { splitName } from '../domain/file-name';

/** A name with a number that it did not have: `report (2).txt`; 0 is the name itself. */
export function toFreeName(name: string, number: number): string {
  if (number === 0) return name;
  const { base, extension, number: first } = splitName(name);
  return `${base} (${first + number})${extension}`;
}
