import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

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

/** A U2F security key in software (FIDO U2F Raw Message Formats 1.2); hashes are those of the client data. */
export class U2fKey {
  private readonly attestation = pair();
  private readonly own = pair();
  readonly handle = randomBytes(64);
  counter = 0;

  register(clientDataHash: Buffer, appId: string): string {
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

  sign(clientDataHash: Buffer, appId: string, presence = 1): string {
    const head = Buffer.alloc(5);
    head[0] = presence;
    head.writeUInt32BE(++this.counter, 1);
    const signature = sign('sha256', Buffer.concat([sha256(appId), head, clientDataHash]), this.own.privateKey);
    return Buffer.concat([head, signature]).toString('base64url');
  }
}
