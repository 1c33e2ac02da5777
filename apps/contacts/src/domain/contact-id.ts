import { ContactErrors, findObjectNumber } from '@groupware/contracts';

/** The number of a contact id; CON-0125 for what is none: there is no such contact. */
export function parseContactId(id: string, contextId: number): number {
  const number = findObjectNumber(id);
  if (number === undefined) throw ContactErrors.notFound(id, contextId);
  return number;
}
