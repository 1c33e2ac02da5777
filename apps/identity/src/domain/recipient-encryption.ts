import { constants, createPublicKey, publicEncrypt, type KeyObject } from 'node:crypto';
import { ProvisioningErrors } from '@groupware/contracts';

const LEAST_BITS = 2048;

/** Parses the public key of a recipient: base64url of a SubjectPublicKeyInfo. @throws PROV-0019 */
export function parseRecipientKey(text: string | undefined): KeyObject {
  if (!text) throw ProvisioningErrors.invalidField('recipient', 'missing');
  let key: KeyObject | undefined;
  try {
    key = createPublicKey({ key: Buffer.from(text, 'base64url'), format: 'der', type: 'spki' });
  } catch {
    // Not a key at all.
  }
  if (key?.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_BITS)
    throw ProvisioningErrors.invalidField('recipient', `no RSA public key of at least ${LEAST_BITS} bits`);
  return key;
}

/** Encrypts a short secret so that only the holder of the private key can read it (RSA-OAEP, SHA-256), as base64. */
export const encryptForRecipient = (key: KeyObject, secret: string): string =>
  publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, Buffer.from(secret)).toString(
    'base64',
  );
