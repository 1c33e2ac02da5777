import { BadSettings } from '@groupware/service-kit';
import { parseImportedHash } from '../domain/passwords';

/** Master administrators with a hash instead of a password in the settings. */
export class MasterAdmins {
  private constructor(private readonly hashes: ReadonlyMap<string, string>) {}

  /**
   * Parses `login:hash` entries separated by white space.
   * @throws BadSettings for malformed entries and duplicate logins
   */
  static parse(text: string): MasterAdmins {
    const hashes = new Map<string, string>();
    const entries = text.split(/\s+/).filter((entry) => entry !== '');
    const problems = entries.flatMap((entry, index) => {
      const colon = entry.indexOf(':');
      const login = entry.slice(0, Math.max(colon, 0));
      const hash = parseStoredHash(entry.slice(colon + 1));
      if (login === '' || hash === undefined || hashes.has(login))
        // The message omits the entry: it holds a hash, or by mistake a password.
        return [`IDENTITY_MASTER_ADMINS: entry ${index + 1} is not another login:hash`];
      hashes.set(login, hash);
      return [];
    });
    if (problems.length > 0) throw new BadSettings(problems);
    return new MasterAdmins(hashes);
  }

  /** Finds the hash of a master administrator. */
  findHash(login: string): string | undefined {
    return this.hashes.get(login);
  }
}

function parseStoredHash(text: string): string | undefined {
  try {
    return parseImportedHash(text);
  } catch {
    return undefined;
  }
}
