import { constants, generateKeyPair, privateDecrypt, type KeyObject } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { EXIT, Stop } from './exit';
import type { Job, Session } from './session';

const PRIVATE_FILE = 0o600;
const KEY_BITS = 3072;

interface Page {
  readonly items: readonly {
    readonly row: number;
    readonly userId: number;
    readonly name: string;
    readonly kind: string;
    readonly encrypted: string;
  }[];
  readonly left: number;
}

/** The file that takes what an import tells once. The key that reads it never leaves this process. */
export class PasswordFile {
  private constructor(
    private readonly file: FileHandle,
    private readonly key: KeyObject,
    /** The public key, for the call of the import. */
    readonly recipient: string,
  ) {}

  /** Makes the file before anything is imported; one that exists is not written over. */
  static async create(name: string): Promise<PasswordFile> {
    const file = await open(name, 'wx', PRIVATE_FILE).catch((error: Error) => {
      throw new Stop(EXIT.usage, `${name} cannot be made: ${error.message}`);
    });
    const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: KEY_BITS });
    const recipient = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url');
    return new PasswordFile(file, privateKey, recipient);
  }

  /** Writes what the import told, as CSV. */
  async take(session: Session, job: Job): Promise<void> {
    await this.file.write('row,userId,name,kind,secret\n');
    for (let left = 1; left > 0;) {
      const page = await session.client.send<Page>(
        'POST',
        `/admin/v1/contexts/${job.contextId}/jobs/${job.id}/passwords`,
      );
      // Names, passwords and tokens hold neither separators nor quotes.
      for (const { row, userId, name, kind, encrypted } of page.items)
        await this.file.write(`${row},${userId},${name},${kind},${this.open(encrypted)}\n`);
      await this.file.sync();
      left = page.left;
    }
    await this.file.close();
  }

  private open(encrypted: string): string {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    return privateDecrypt({ key: this.key, padding, oaepHash: 'sha256' }, Buffer.from(encrypted, 'base64')).toString();
  }
}
