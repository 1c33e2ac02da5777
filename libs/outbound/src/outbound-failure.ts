/** Why an attempt failed: for logs and metrics, never for clients. */
export type OutboundReason =
  | 'bad-host'
  | 'bad-url'
  | 'forbidden-address'
  | 'forbidden-port'
  | 'unknown-host'
  | 'unreachable'
  | 'timeout'
  | 'too-large'
  | 'too-many-redirects'
  | 'too-many-attempts'
  | 'certificate'
  | 'protocol';

/**
 * The one error of all network causes. Its text tells nothing, so that nobody learns from it what is behind an address
 * that was refused.
 */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';

  constructor(
    readonly reason: OutboundReason,
    cause?: unknown,
  ) {
    super('The host is not reachable.', { cause });
  }
}

/** The host answered, but its certificate is not trusted. Only hosts that may be connected to get this far. */
export class CertificateFailure extends Error {
  override readonly name = 'CertificateFailure';

  constructor(
    readonly host: string,
    /** Such as `CERT_HAS_EXPIRED`. */
    readonly code: string,
    /** SHA-256 of the certificate, hex digits with colons; empty when the peer sent none. */
    readonly fingerprint: string,
  ) {
    super(`The certificate of ${host} is not trusted: ${code}.`);
  }
}
