import { DirectoryErrors } from '@groupware/contracts';
import { findMatching } from './pattern-search';

/** Policy for passwords chosen by users. */
export interface PasswordPolicy {
  readonly minLength: number;
  /** 0: {@link LONGEST}. */
  readonly maxLength: number;
  /** Regular expression for the whole password; empty: any. */
  readonly pattern: string;
  /** The pattern in words. */
  readonly hint: string;
}

/** Longest password in any case: longer ones only cost time. */
export const LONGEST = 1024;

/** @throws USR-0020, USR-0021, USR-0015, USR-0026 */
export async function checkPassword(password: string, policy: PasswordPolicy): Promise<void> {
  const length = [...password].length;
  if (length < policy.minLength) throw DirectoryErrors.passwordTooShort(policy.minLength);
  const most = policy.maxLength > 0 ? policy.maxLength : LONGEST;
  if (length > most) throw DirectoryErrors.passwordTooLong(most);
  // Characters that no keyboard enters would lock the user out.
  if (/\p{Cc}|\p{Cs}/u.test(password)) throw DirectoryErrors.badPasswordCharacters();
  if (policy.pattern !== '' && (await findAllowed([password], policy.pattern)) < 0)
    throw DirectoryErrors.passwordNotAllowed(policy.hint || policy.pattern);
}

/** The first of some passwords that a pattern allows as a whole; -1 without any, or when finding out takes too long. */
export const findAllowed = (passwords: readonly string[], pattern: string): Promise<number> =>
  findMatching(passwords, `^(?:${pattern})$`);
