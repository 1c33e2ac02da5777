import { compare } from 'bcryptjs';

/** Prefix (2a, 2b and 2y mean the same for correct programs), cost, 16 bytes of salt and 23 bytes of hash in its own base64. */
const FORM = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const MIN_COST = 4;
/** Costs beyond this one would keep a processor busy for seconds. */
const MAX_COST = 14;

/** Whether a text is a bcrypt hash that can be checked. */
export function isBcrypt(text: string): boolean {
  const cost = Number(FORM.exec(text)?.[1] ?? 0);
  return cost >= MIN_COST && cost <= MAX_COST;
}

/** Whether a password has a bcrypt hash, as imports bring them; gives way to others every now and then. */
export const checkBcrypt = (password: string, stored: string): Promise<boolean> => compare(password, stored);
