import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Bytes of the key in `GROUPWARE_SECRET_KEY`. */
export const SECRET_KEY_BYTES = 32;

/** Derives a key for one purpose, so that no two uses share one. */
const deriveKey = (key: Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, new Uint8Array(0), `groupware/${purpose}`, 32));

const toKeyId = (key: Uint8Array): string => createHash('sha256').update(key).digest('hex').slice(0, 8);

/**
 * Texts encrypted with AES-256-GCM. The sealed form names the key it was made with; it opens only for the owner it was
 * sealed for, so a value moved to another row or session does not open.
 */
export class SealedText {
  private readonly keys = new Map<string, Buffer>();
  private readonly current: string;

  /** @param keys 32 bytes each; the first one seals, all of them open (older ones after a change of key) */
  constructor(keys: readonly Uint8Array[], purpose: string) {
    if (keys.length === 0 || keys.some((key) => key.length !== SECRET_KEY_BYTES))
      throw new Error(`a secret key must have ${SECRET_KEY_BYTES} bytes`);
    for (const key of keys) this.keys.set(toKeyId(key), deriveKey(key, purpose));
    this.current = toKeyId(keys[0]!);
  }

  /** The sealed form: key id, nonce, tag and cipher text, separated by dots. */
  seal(text: string, owner: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.keys.get(this.current)!, nonce).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return [this.current, nonce, cipher.getAuthTag(), sealed]
      .map((part) => (typeof part === 'string' ? part : part.toString('base64url')))
      .join('.');
  }

  /** True for a value that the newest key sealed; others can be sealed again. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${this.current}.`);
  }

  /** Seals a text again with the newest key: the same one where it is, undefined where {@link open} gives none. */
  reseal(sealed: string, owner: string): string | undefined {
    const text = this.open(sealed, owner);
    if (text === undefined) return undefined;
    return this.isCurrent(sealed) ? sealed : this.seal(text, owner);
  }

  /** The text, or undefined when it was sealed for another owner, with an unknown key, or changed since. */
  open(sealed: string, owner: string): string | undefined {
    const [keyId = '', nonce = '', tag = '', text = ''] = sealed.split('.');
    const key = this.keys.get(keyId);
    if (!key) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), { authTagLength: 16 })
        .setAAD(Buffer.from(owner))
        .setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}

/** Digests made with a secret key: without it not even a short password can be guessed from the digest of a text. */
export class KeyedDigest {
  private readonly keys: readonly Buffer[];

  /** @param keys the first one makes digests, all of them are compared with (older ones after a change of key) */
  constructor(keys: readonly Uint8Array[], purpose: string) {
    this.keys = keys.map((key) => deriveKey(key, purpose));
  }

  /** Computes the digest of a text. */
  compute(text: string): string {
    return computeDigest(this.keys[0]!, text);
  }

  /** Whether a digest is that of a text. */
  matches(digest: string, text: string): boolean {
    return this.keys.some((key) => computeDigest(key, text) === digest);
  }
}

const computeDigest = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('base64url');

/**
 * A secret one-to-one mapping of 16 byte values. Used to make the public id of a session from its id: an index from one
 * to the other would have a life of its own and could end before the session does.
 */
export class SecretPermutation {
  private readonly key: Buffer;

  constructor(key: Uint8Array, purpose: string) {
    this.key = deriveKey(key, purpose);
  }

  /** @param hex 32 hex digits, random: equal inputs give equal outputs */
  apply(hex: string): string {
    // One block of random bytes: ECB is the bare block cipher here, which is what is wanted.
    const cipher = createCipheriv('aes-256-ecb', this.key, null).setAutoPadding(false);
    return Buffer.concat([cipher.update(hex, 'hex'), cipher.final()]).toString('hex');
  }

  /** The value that {@link apply} made this one of. */
  invert(hex: string): string {
    const decipher = createDecipheriv('aes-256-ecb', this.key, null).setAutoPadding(false);
    return Buffer.concat([decipher.update(hex, 'hex'), decipher.final()]).toString('hex');
  }
}
