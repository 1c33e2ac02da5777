import { DirectoryErrors } from '@groupware/contracts';

/** What passwords that users choose must look like. */
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
export function checkPassword(password: string, policy: PasswordPolicy): void {
  const length = [...password].length;
  if (length < policy.minLength) throw DirectoryErrors.passwordTooShort(policy.minLength);
  const most = policy.maxLength > 0 ? policy.maxLength : LONGEST;
  if (length > most) throw DirectoryErrors.passwordTooLong(most);
  // Characters that no keyboard enters would lock the user out.
  if (/\p{Cc}|\p{Cs}/u.test(password)) throw DirectoryErrors.badPasswordCharacters();
  if (policy.pattern !== '' && !matches(password, policy.pattern))
    throw DirectoryErrors.passwordNotAllowed(policy.hint || policy.pattern);
}

function matches(password: string, pattern: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u').test(password);
  } catch {
    // A pattern that cannot be read must not keep users from changing their passwords.
    return true;
  }
}
