import { ContactErrors } from '@groupware/contracts';

const MAX_ID = 2 ** 31 - 1;

/** The number of a contact id; undefined for what is none. */
export function findContactId(id: string): number | undefined {
  const number = /^\d{1,10}$/.test(id) ? Number(id) : NaN;
  return number <= MAX_ID ? number : undefined;
}

/** The number of a contact id; CON-0125 for what is none: there is no such contact. */
export function parseContactId(id: string, contextId: number): number {
  const number = findContactId(id);
  if (number === undefined) throw ContactErrors.notFound(id, contextId);
  return number;
}
