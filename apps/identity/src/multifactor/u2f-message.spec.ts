import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { clientDataDigest, readRegistration, readSignature } from './u2f-message';

const APP = 'https://mail.example';
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pointOf = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(-65);

/** One DER element. */
const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const ECDSA_SHA256 = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const NAME = der(0x30, der(0x31, der(0x30, der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from('key')))));
const TIMES = der(0x30, der(0x17, Buffer.from('250101000000Z')), der(0x17, Buffer.from('450101000000Z')));

/** The attestation certificate of a key. */
function certificateOf({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }): Buffer {
  const subject = publicKey.export({ format: 'der', type: 'spki' });
  const body = der(0x30, der(0x02, Buffer.from([1])), ECDSA_SHA256, NAME, TIMES, NAME, subject);
  return der(0x30, body, ECDSA_SHA256, der(0x03, Buffer.from([0]), sign('sha256', body, privateKey)));
}

/** A security key in software. */
class SoftKey {
  private readonly attestation = pair();
  private readonly own = pair();
  readonly handle = randomBytes(64);
  counter = 0;

  register(clientDataHash: Buffer, appId = APP): string {
    const point = pointOf(this.own.publicKey);
    const signed = Buffer.concat([Buffer.from([0]), sha256(appId), clientDataHash, this.handle, point]);
    return Buffer.concat([
      Buffer.from([5]),
      point,
      Buffer.from([this.handle.length]),
      this.handle,
      certificateOf(this.attestation),
      sign('sha256', signed, this.attestation.privateKey),
    ]).toString('base64url');
  }

  sign(clientDataHash: Buffer, presence = 1): string {
    const head = Buffer.alloc(5);
    head[0] = presence;
    head.writeUInt32BE(++this.counter, 1);
    const signature = sign('sha256', Buffer.concat([sha256(APP), head, clientDataHash]), this.own.privateKey);
    return Buffer.concat([head, signature]).toString('base64url');
  }
}

const clientData = (data: object) => Buffer.from(JSON.stringify(data)).toString('base64url');

describe('client data', () => {
  const expected = { kind: 'navigator.id.getAssertion', challenge: 'c', origins: [APP] };
  const right = { typ: 'navigator.id.getAssertion', challenge: 'c', origin: APP };

  it('fits only with its kind, challenge and origin', () => {
    expect(clientDataDigest(clientData(right), expected)).toEqual(sha256(JSON.stringify(right)));
    for (const wrong of [
      { ...right, typ: 'navigator.id.finishEnrollment' },
      { ...right, challenge: 'd' },
      { ...right, origin: 'https://evil.example' },
      {},
    ])
      expect(clientDataDigest(clientData(wrong), expected)).toBeUndefined();
    for (const text of ['', 'bnVsbA', '!!!']) expect(clientDataDigest(text, expected)).toBeUndefined();
  });
});

describe('U2F messages', () => {
  const hash = sha256('client data');

  it('register a key and prove its presence later', () => {
    const key = new SoftKey();
    const facts = readRegistration(key.register(hash), APP, hash)!;
    expect(facts.keyHandle).toBe(key.handle.toString('base64url'));
    expect(readSignature(key.sign(hash), APP, hash, facts.publicKey)).toBe(1);
    expect(readSignature(key.sign(hash), APP, hash, facts.publicKey)).toBe(2);
    expect(readSignature(key.sign(hash, 0), APP, hash, facts.publicKey)).toBeUndefined();
    expect(readSignature(key.sign(sha256('other')), APP, hash, facts.publicKey)).toBeUndefined();
    expect(readSignature(key.sign(hash), 'https://evil.example', hash, facts.publicKey)).toBeUndefined();
    expect(readSignature(new SoftKey().sign(hash), APP, hash, facts.publicKey)).toBeUndefined();
  });

  it('are refused when made for another site or another challenge', () => {
    const key = new SoftKey();
    expect(readRegistration(key.register(hash, 'https://evil.example'), APP, hash)).toBeUndefined();
    expect(readRegistration(key.register(sha256('other')), APP, hash)).toBeUndefined();
  });

  it('are refused when a byte differs, and never throw', () => {
    const message = Buffer.from(new SoftKey().register(hash), 'base64url');
    fc.assert(
      fc.property(fc.nat(message.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const broken = Buffer.from(message);
        broken[at]! ^= change;
        const facts = readRegistration(broken.toString('base64url'), APP, hash);
        // The certificate's own signature is not part of what is checked: attestation proves nothing here.
        if (facts) expect(facts.publicKey).toBe(message.subarray(1, 66).toString('base64url'));
      }),
      { numRuns: 100 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64url');
        expect(readRegistration(text, APP, hash)).toBeUndefined();
        expect(readSignature(text, APP, hash, text)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});
