import { createHash } from 'node:crypto';
import { U2fKey } from '@groupware/test-kit';
import fc from 'fast-check';
import { verifyClientData, verifyRegistration, verifySignature } from './u2f-message';

const APP = 'https://mail.example';
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();

const clientData = (data: object) => Buffer.from(JSON.stringify(data)).toString('base64url');

describe('client data', () => {
  const expected = { kind: 'navigator.id.getAssertion', challenge: 'c', origins: [APP] };
  const right = { typ: 'navigator.id.getAssertion', challenge: 'c', origin: APP };

  it('fits only with its kind, challenge and origin', () => {
    expect(verifyClientData(clientData(right), expected)).toEqual(sha256(JSON.stringify(right)));
    for (const wrong of [
      { ...right, typ: 'navigator.id.finishEnrollment' },
      { ...right, challenge: 'd' },
      { ...right, origin: 'https://evil.example' },
      {},
    ])
      expect(verifyClientData(clientData(wrong), expected)).toBeUndefined();
    for (const text of ['', 'bnVsbA', '!!!']) expect(verifyClientData(text, expected)).toBeUndefined();
  });
});

describe('U2F messages', () => {
  const hash = sha256('client data');

  it('register a key and prove its presence later', () => {
    const key = new U2fKey();
    const facts = verifyRegistration(key.register(hash, APP), APP, hash)!;
    expect(facts.keyHandle).toBe(key.handle.toString('base64url'));
    expect(verifySignature(key.sign(hash, APP), APP, hash, facts.publicKey)).toBe(1);
    expect(verifySignature(key.sign(hash, APP), APP, hash, facts.publicKey)).toBe(2);
    expect(verifySignature(key.sign(hash, APP, 0), APP, hash, facts.publicKey)).toBeUndefined();
    expect(verifySignature(key.sign(sha256('other'), APP), APP, hash, facts.publicKey)).toBeUndefined();
    expect(verifySignature(key.sign(hash, APP), 'https://evil.example', hash, facts.publicKey)).toBeUndefined();
    expect(verifySignature(new U2fKey().sign(hash, APP), APP, hash, facts.publicKey)).toBeUndefined();
  });

  it('are refused when made for another site or another challenge', () => {
    const key = new U2fKey();
    expect(verifyRegistration(key.register(hash, 'https://evil.example'), APP, hash)).toBeUndefined();
    expect(verifyRegistration(key.register(sha256('other'), APP), APP, hash)).toBeUndefined();
  });

  it('are refused when a byte differs, and never throw', () => {
    const key = new U2fKey();
    const message = Buffer.from(key.register(hash, APP), 'base64url');
    fc.assert(
      fc.property(fc.nat(message.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const broken = Buffer.from(message);
        broken[at]! ^= change;
        const facts = verifyRegistration(broken.toString('base64url'), APP, hash);
        // The certificate's own signature is not part of what is checked: attestation proves nothing here.
        if (facts)
          expect(facts).toMatchObject({
            publicKey: message.subarray(1, 66).toString('base64url'),
            keyHandle: key.handle.toString('base64url'),
          });
      }),
      { numRuns: 300, seed: 1 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64url');
        expect(verifyRegistration(text, APP, hash)).toBeUndefined();
        expect(verifySignature(text, APP, hash, text)).toBeUndefined();
      }),
      { numRuns: 200, seed: 2 },
    );
  });
});
