import { BadSettings } from '@groupware/service-kit';
import { importedHash } from '../domain/passwords';

/** Master administrators with a hash instead of a password in the settings. */
export class MasterAdmins {
  private constructor(private readonly hashes: ReadonlyMap<string, string>) {}

  /** Reads `login:hash` entries, separated by white space. @throws BadSettings for entries that are none, and doubled logins */
  static parse(text: string): MasterAdmins {
    const hashes = new Map<string, string>();
    const entries = text.split(/\s+/).filter((entry) => entry !== '');
    const problems = entries.flatMap((entry, index) => {
      const colon = entry.indexOf(':');
      const login = entry.slice(0, Math.max(colon, 0));
      const hash = storedHash(entry.slice(colon + 1));
      if (login === '' || hash === undefined || hashes.has(login))
        // The entry itself stays out of the message: it holds a hash, or a password by mistake.
        return [`IDENTITY_MASTER_ADMINS: entry ${index + 1} is not another login:hash`];
      hashes.set(login, hash);
      return [];
    });
    if (problems.length > 0) throw new BadSettings(problems);
    return new MasterAdmins(hashes);
  }

  /** The hash of a master administrator; undefined for nobody. */
  hashOf(login: string): string | undefined {
    return this.hashes.get(login);
  }
}

function storedHash(text: string): string | undefined {
  try {
    return importedHash(text);
  } catch {
    return undefined;
  }
}
