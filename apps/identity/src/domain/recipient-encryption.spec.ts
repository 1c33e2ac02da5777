import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { parseRecipientKey, encryptForRecipient } from './recipient-encryption';

const spki = (key: { export(options: object): unknown }): string =>
  (key.export({ format: 'der', type: 'spki' }) as Buffer).toString('base64url');

describe('secrets for a caller', () => {
  it('are read with the private key alone', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const sealed = encryptForRecipient(parseRecipientKey(spki(publicKey)), 'told once');
    const read = privateDecrypt(
      { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
      Buffer.from(sealed, 'base64'),
    );
    expect(read.toString()).toBe('told once');
  });

  it.each([
    ['nothing', undefined],
    ['no key', 'bm8ga2V5'],
    ['a short key', spki(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)],
    ['a key that cannot encrypt', spki(generateKeyPairSync('ed25519').publicKey)],
  ])('are not made for %s', (_what, text) => {
    expect(() => parseRecipientKey(text)).toThrow(expect.objectContaining({ code: 'PROV-0019' }));
  });
});
