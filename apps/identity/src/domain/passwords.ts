import { createHash, timingSafeEqual } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { ProvisioningErrors, RequestErrors } from '@groupware/contracts';
import { checkBcrypt, isBcrypt } from './bcrypt';

/** Cost parameters of password hashing. */
export interface HashCost {
  /** Memory of one hash in KiB. */
  readonly memoryKib: number;
  readonly passes: number;
  /** Hashes under way at the same time: each needs its memory and a thread. */
  readonly concurrency: number;
  /** Maximum queue length; further hashes are refused. */
  readonly maxWaiting: number;
}

/** Outcome of a check. */
export interface PasswordCheck {
  readonly correct: boolean;
  /** The hash is of another kind or cost than new ones and should be replaced. */
  readonly outdated: boolean;
}

/** Whether the queue length limits a hash; jobs, which start few at once, are exempt. */
export type HashQueueLimit = 'limited' | 'unlimited';

/** Begins stored hashes of these kinds; those of argon2 stand without prefix. */
const SSHA512 = '{SSHA512}';
const BCRYPT = '{BCRYPT}';

/** Seconds a client should wait when too many hashes are under way. */
const BUSY_RETRY_SECONDS = 1;

/** Hashes and checks passwords with argon2id, a bounded number at a time. */
export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private decoy: Promise<string> | undefined;

  constructor(private readonly cost: HashCost) {}

  /** The hash to store. */
  async hash(password: string, queueLimit: HashQueueLimit = 'limited'): Promise<string> {
    return this.runLimited(
      // argon2id is the library's default; a const enum of it cannot be named with isolated modules.
      () => hash(password, { memoryCost: this.cost.memoryKib, timeCost: this.cost.passes, parallelism: 1 }),
      queueLimit,
    );
  }

  /** Checks a password against a stored hash; without hash it fails in constant time. */
  async check(password: string, stored: string | undefined): Promise<PasswordCheck> {
    if (stored?.startsWith('{')) {
      const correct = stored.startsWith(BCRYPT)
        ? await this.runLimited(() => checkBcrypt(password, stored.slice(BCRYPT.length)))
        : checkSsha512(password, stored);
      // A fast failure would reveal that the name exists; a right password is rehashed, which takes as long.
      if (!correct) await this.check(password, undefined);
      return { correct, outdated: true };
    }
    const against = stored ?? (await (this.decoy ??= this.hash('no password is this one')));
    const correct = await this.runLimited(() => verify(against, password).catch(() => false));
    return { correct: correct && stored !== undefined, outdated: !against.includes(this.parameters()) };
  }

  private parameters(): string {
    return `$argon2id$v=19$m=${this.cost.memoryKib},t=${this.cost.passes},p=1$`;
  }

  private async runLimited<T>(work: () => Promise<T>, queueLimit: HashQueueLimit = 'limited'): Promise<T> {
    if (this.running >= this.cost.concurrency) {
      if (queueLimit === 'limited' && this.waiting.length >= this.cost.maxWaiting)
        throw RequestErrors.tooManyRequests(BUSY_RETRY_SECONDS).with({
          headers: { 'Retry-After': String(BUSY_RETRY_SECONDS) },
        });
      // The slot passes directly to the next in the queue, so `running` never drops in between.
      await new Promise<void>((turn) => this.waiting.push(turn));
    } else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

/** A hash that an import brings, as it is stored. @throws PROV-0018 for kinds that cannot be checked */
export function parseImportedHash(text: string): string {
  const argon =
    /^\{ARGON2\}(\$argon2(?:id|i|d)\$.+)$/i.exec(text)?.[1] ?? (text.startsWith('$argon2') ? text : undefined);
  if (argon && /^\$argon2(id|i|d)\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,3}\$[\w+/]+\$[\w+/]+$/.test(argon)) return argon;
  const salted = /^\{SSHA512\}([A-Za-z0-9+/]+={0,2})$/i.exec(text)?.[1];
  if (salted && Buffer.from(salted, 'base64').length > 64) return SSHA512 + salted;
  const bcrypt = /^(?:\{BCRYPT\})?(\$2.+)$/i.exec(text)?.[1];
  if (bcrypt && isBcrypt(bcrypt)) return BCRYPT + bcrypt;
  throw ProvisioningErrors.unknownHash();
}

function checkSsha512(password: string, stored: string): boolean {
  const bytes = Buffer.from(stored.slice(SSHA512.length), 'base64');
  const digest = createHash('sha512').update(password, 'utf8').update(bytes.subarray(64)).digest();
  return timingSafeEqual(digest, bytes.subarray(0, 64));
}
