import { timingSafeEqual } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';

/*
 * bcrypt (N. Provos, D. Mazières: A Future-Adaptable Password Scheme, 1999), for hashes that imports bring: they are checked
 * until the first login, which replaces them. New hashes are never made with it.
 */

/** Prefix (2a, 2b and 2y mean the same for correct programs), cost, 16 bytes of salt and 23 bytes of hash in its own base64. */
const FORM = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;
/** Costs beyond this one would keep a processor busy for seconds. */
const MAX_COST = 14;
const MIN_COST = 4;
/** Bytes of a password that count. */
const MAX_KEY_BYTES = 72;
/** How long one check keeps the thread before others have a turn, ms. */
const TURN_MS = 5;

const P_WORDS = 18;
const S_WORDS = 1024;
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

interface State {
  readonly p: Int32Array;
  readonly s: Int32Array;
}

/** Whether a text is a bcrypt hash that can be checked. */
export function isBcrypt(text: string): boolean {
  const cost = Number(FORM.exec(text)?.[1] ?? 0);
  return cost >= MIN_COST && cost <= MAX_COST;
}

/** Whether a password has a bcrypt hash; gives way to others every few milliseconds. */
export async function checkBcrypt(password: string, stored: string): Promise<boolean> {
  const [, cost, salt, expected] = FORM.exec(stored) ?? [];
  if (cost === undefined || salt === undefined || expected === undefined) return false;
  const bytes = Buffer.from(password, 'utf8').subarray(0, MAX_KEY_BYTES);
  const key = words(bytes.length < MAX_KEY_BYTES ? Buffer.concat([bytes, Buffer.of(0)]) : bytes, P_WORDS);
  const saltWords = words(decode(salt).subarray(0, 16), P_WORDS);
  const digest = await hash(key, saltWords, 2 ** Number(cost));
  return timingSafeEqual(digest.subarray(0, 23), decode(expected).subarray(0, 23));
}

async function hash(key: Int32Array, salt: Int32Array, rounds: number): Promise<Buffer> {
  const { p, s } = initialState();
  const state = { p: p.slice(), s: s.slice() };
  expand(state, key, salt);
  const none = new Int32Array(P_WORDS);
  let since = performance.now();
  for (let round = 0; round < rounds; round++) {
    expand(state, key, none);
    expand(state, salt, none);
    if (performance.now() - since < TURN_MS) continue;
    await turn();
    since = performance.now();
  }
  const text = words(Buffer.from('OrpheanBeholderScryDoubt'), 6);
  for (let block = 0; block < text.length; block += 2)
    for (let time = 0; time < 64; time++) encipher(state, text, block);
  const digest = Buffer.alloc(24);
  text.forEach((word, index) => digest.writeInt32BE(word, index * 4));
  return digest;
}

/** Mixes the key into the subkeys and replaces all of them by enciphered salt. */
function expand(state: State, key: Int32Array, salt: Int32Array): void {
  const { p, s } = state;
  for (let index = 0; index < P_WORDS; index++) p[index]! ^= key[index]!;
  const block = new Int32Array(2);
  let from = 0;
  for (const target of [p, s])
    for (let index = 0; index < target.length; index += 2) {
      // The salt has four words and repeats.
      block[0]! ^= salt[from % 4]!;
      block[1]! ^= salt[(from + 1) % 4]!;
      from += 2;
      encipher(state, block, 0);
      target[index] = block[0]!;
      target[index + 1] = block[1]!;
    }
}

/** Blowfish on two words. */
function encipher({ p, s }: State, text: Int32Array, at: number): void {
  let left = text[at]! ^ p[0]!;
  let right = text[at + 1]!;
  for (let round = 1; round < P_WORDS - 1; round++) {
    const sum = (s[left >>> 24]! + s[256 + ((left >>> 16) & 255)]!) | 0;
    const mixed = ((sum ^ s[512 + ((left >>> 8) & 255)]!) + s[768 + (left & 255)]!) | 0;
    const next = right ^ mixed ^ p[round]!;
    right = left;
    left = next;
  }
  text[at] = right ^ p[P_WORDS - 1]!;
  text[at + 1] = left;
}

/** So many words of bytes that repeat, big end first. */
function words(bytes: Buffer, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_none, word) => {
    let value = 0;
    for (let byte = 0; byte < 4; byte++) value = (value << 8) | bytes[(word * 4 + byte) % bytes.length]!;
    return value;
  });
}

function decode(text: string): Buffer {
  const bits = [...text].map((each) => ALPHABET.indexOf(each).toString(2).padStart(6, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
}

let initial: State | undefined;

/** The subkeys begin as the digits of pi after the point. */
function initialState(): State {
  if (initial) return initial;
  const bits = 32n * BigInt(P_WORDS + S_WORDS);
  // Digits beyond the last one take up what rounding loses.
  const spare = 64n;
  const one = 1n << (bits + spare);
  const arcTangent = (inverse: bigint): bigint => {
    let power = one / inverse;
    let sum = power;
    for (let divisor = 3n, sign = -1n; power > 0n; divisor += 2n, sign = -sign) {
      power /= inverse * inverse;
      sum += (sign * power) / divisor;
    }
    return sum;
  };
  // Machin's formula.
  const pi = (4n * (4n * arcTangent(5n) - arcTangent(239n))) >> spare;
  const digits = Buffer.from((pi - (3n << bits)).toString(16).padStart(Number(bits / 4n), '0'), 'hex');
  const all = words(digits, P_WORDS + S_WORDS);
  return (initial = { p: all.slice(0, P_WORDS), s: all.slice(P_WORDS) });
}
