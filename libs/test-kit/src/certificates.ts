import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certificate with its key, as PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of a test. */
export interface TestAuthority {
  /** Certificate of the authority, PEM. */
  readonly cert: string;
  /** Issues a certificate for names and IPv4 addresses; the default is valid for a day. */
  issue(names: readonly string[], validity?: { readonly from: number; readonly to: number }): TestCertificate;
}

// X.690, as far as certificates need it.
const tlv = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const length =
    body.length < 0x80
      ? [body.length]
      : body.length < 0x100
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
const oid = (...bytes: readonly number[]): Buffer => tlv(0x06, Buffer.from(bytes));
const text = (tag: number, value: string): Buffer => tlv(tag, Buffer.from(value, 'latin1'));
const time = (ms: number): Buffer => text(0x18, `${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`);

const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const nameOf = (commonName: string): Buffer =>
  sequence(tlv(0x31, sequence(oid(0x55, 0x04, 0x03), text(0x0c, commonName))));
const extension = (last: number, critical: boolean, value: Uint8Array): Buffer =>
  sequence(oid(0x55, 0x1d, last), ...(critical ? [tlv(0x01, Buffer.from([0xff]))] : []), tlv(0x04, value));
// No empty line at the end, which OpenSSL refuses: its length changes with the signature, so one in four would have one.
const pem = (der: Uint8Array): string =>
  [
    '-----BEGIN CERTIFICATE-----',
    ...Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g)!,
    '-----END CERTIFICATE-----',
    '',
  ].join('\n');

const DAY_MS = 86_400_000;

function certificate(options: {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signWith: KeyObject;
  readonly from: number;
  readonly to: number;
  readonly extensions: readonly Uint8Array[];
}): string {
  const serial = randomBytes(8);
  serial[0] = (serial[0]! & 0x7f) | 1;
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, serial),
    ECDSA_SHA256,
    nameOf(options.issuer),
    sequence(time(options.from), time(options.to)),
    nameOf(options.subject),
    options.publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...options.extensions)),
  );
  const signature = sign('sha256', body, options.signWith);
  return pem(sequence(body, ECDSA_SHA256, tlv(0x03, Buffer.from([0]), signature)));
}

/** Makes a certificate authority with fresh keys. */
export function testAuthority(): TestAuthority {
  const authority = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = `Test authority ${createHash('sha1').update(randomBytes(8)).digest('hex').slice(0, 8)}`;
  const now = Date.now();
  const cert = certificate({
    subject: name,
    issuer: name,
    publicKey: authority.publicKey,
    signWith: authority.privateKey,
    from: now - 400 * DAY_MS,
    to: now + DAY_MS,
    extensions: [extension(0x13, true, sequence(tlv(0x01, Buffer.from([0xff]))))],
  });
  return {
    cert,
    issue: (names, validity = { from: now - DAY_MS, to: now + DAY_MS }) => {
      const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
      const alternatives = names.map((host) =>
        isIPv4(host) ? tlv(0x87, Buffer.from(host.split('.').map(Number))) : text(0x82, host),
      );
      return {
        key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
        cert: certificate({
          subject: names[0]!,
          issuer: name,
          publicKey: keys.publicKey,
          signWith: authority.privateKey,
          ...validity,
          extensions: [extension(0x11, false, sequence(...alternatives))],
        }),
      };
    },
  };
}
