import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { testAuthority } from './certificates';

/** The last line is full when the length is a multiple of this, bytes. */
const LINE_BYTES = 48;

it('issues certificates that OpenSSL reads, also when their last line is full', () => {
  const authority = testAuthority();
  const { publicKey } = new X509Certificate(authority.cert);
  let full = 0;
  // The length of the signature is a matter of luck: every fourth certificate has a full last line.
  for (let tries = 0; full === 0 && tries < 200; tries++) {
    const issued = authority.issue(['mail.test', '127.0.0.1']);
    createSecureContext(issued);
    const certificate = new X509Certificate(issued.cert);
    expect(certificate.verify(publicKey)).toBe(true);
    if (certificate.raw.length % LINE_BYTES === 0) full += 1;
  }
  expect(full).toBe(1);
});
