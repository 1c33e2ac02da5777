import { createContext, Script } from 'node:vm';
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

/** So long may the pattern of an operator look at passwords, ms: some patterns would take years for some passwords. */
const PATTERN_MS = 60;
/** A busy machine may take the time away from the first look. */
const LOOKS = 2;
/** Whatever it runs can be ended, an expression that goes through all ways to fail as well. */
const search = new Script(`(() => {
  const expression = new RegExp(pattern, 'u');
  return passwords.findIndex((password) => expression.test(password));
})()`);
/** Made once: a context costs as much as hundreds of searches. */
const inputs: { pattern?: string; passwords?: readonly string[] } = createContext({});

const matches = (password: string, pattern: string): boolean => findAllowed([password], pattern) === 0;

/** The first of some passwords that a pattern allows as a whole; -1 without any, or when finding out takes too long. */
export function findAllowed(passwords: readonly string[], pattern: string): number {
  for (let look = 0; look < LOOKS; look++) {
    Object.assign(inputs, { pattern: `^(?:${pattern})$`, passwords });
    try {
      return search.runInContext(inputs, { timeout: PATTERN_MS }) as number;
    } catch (error) {
      // A pattern that cannot be read must not keep users from changing their passwords; one that takes too long does.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 0;
    } finally {
      inputs.passwords = undefined;
    }
  }
  return -1;
}
