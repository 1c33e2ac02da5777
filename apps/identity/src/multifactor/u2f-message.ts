import { createHash, createPublicKey, verify, X509Certificate, type KeyObject } from 'node:crypto';

/** Facts of a registered U2F key. */
export interface U2fRegistration {
  /** base64url */
  readonly keyHandle: string;
  /** Uncompressed point of P-256, base64url. */
  readonly publicKey: string;
}

const POINT_LENGTH = 65;
/** ASN.1 of a P-256 public key up to the point (RFC 5480). */
const SPKI_PREFIX = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');
const USER_PRESENT = 1;

const computeSha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** A public key from its uncompressed point. */
function toPublicKey(point: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, point]), format: 'der', type: 'spki' });
}

/** Length of the DER element at the beginning of the bytes, header included. */
function parseDerLength(bytes: Buffer): number {
  const first = bytes[1] ?? 0;
  if (first < 0x80) return 2 + first;
  const count = first & 0x7f;
  // eslint-disable-next-line groupware/no-stray-errors -- callers treat it as any other unreadable message
  if (count === 0 || count > 3) throw new RangeError('not DER');
  return 2 + count + bytes.readUIntBE(2, count);
}

/**
 * Reads and checks what the browser signed: kind, challenge and origin.
 * @returns its digest, or undefined when it does not match
 */
export function verifyClientData(
  clientData: string,
  expected: { readonly kind: string; readonly challenge: string; readonly origins: readonly string[] },
): Buffer | undefined {
  const bytes = Buffer.from(clientData, 'base64url');
  try {
    const data = JSON.parse(bytes.toString('utf8')) as { typ?: unknown; challenge?: unknown; origin?: unknown };
    const fits =
      data.typ === expected.kind &&
      data.challenge === expected.challenge &&
      expected.origins.includes(String(data.origin));
    return fits ? computeSha256(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks a registration message (FIDO U2F Raw Message Formats 1.2, section 4.3).
 * @returns the key, or undefined for a message that is malformed or not signed by its attestation certificate
 */
export function verifyRegistration(
  registrationData: string,
  appId: string,
  clientDataHash: Buffer,
): U2fRegistration | undefined {
  try {
    const bytes = Buffer.from(registrationData, 'base64url');
    if (bytes[0] !== 5) return undefined;
    const publicKey = bytes.subarray(1, 1 + POINT_LENGTH);
    const handleLength = bytes[1 + POINT_LENGTH]!;
    const handleStart = 2 + POINT_LENGTH;
    const keyHandle = bytes.subarray(handleStart, handleStart + handleLength);
    const rest = bytes.subarray(handleStart + handleLength);
    const length = parseDerLength(rest);
    const certificate = new X509Certificate(rest.subarray(0, length));
    const signed = Buffer.concat([Buffer.from([0]), computeSha256(appId), clientDataHash, keyHandle, publicKey]);
    toPublicKey(publicKey);
    if (keyHandle.length === 0 || !verify('sha256', signed, certificate.publicKey, rest.subarray(length)))
      return undefined;
    return { keyHandle: keyHandle.toString('base64url'), publicKey: publicKey.toString('base64url') };
  } catch {
    return undefined;
  }
}

/**
 * Checks an authentication message (FIDO U2F Raw Message Formats 1.2, section 5.4).
 * @returns the counter of the key, or undefined when the signature is wrong or the user-presence bit is missing
 */
export function verifySignature(
  signatureData: string,
  appId: string,
  clientDataHash: Buffer,
  publicKey: string,
): number | undefined {
  try {
    const bytes = Buffer.from(signatureData, 'base64url');
    if (bytes.length < 6 || (bytes[0]! & USER_PRESENT) === 0) return undefined;
    const signed = Buffer.concat([computeSha256(appId), bytes.subarray(0, 5), clientDataHash]);
    const key = toPublicKey(Buffer.from(publicKey, 'base64url'));
    return verify('sha256', signed, key, bytes.subarray(5)) ? bytes.readUInt32BE(1) : undefined;
  } catch {
    return undefined;
  }
}
