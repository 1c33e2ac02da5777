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
 * The one error of all network causes. Its text tells nothing, so that no user learns from it what is behind an address
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

/** A certificate that a host showed. */
export interface PeerCertificate {
  /** SHA-256, hex digits with colons. */
  readonly fingerprint: string;
  /** ms UTC. */
  readonly issuedOn: number;
  /** ms UTC. */
  readonly expiresOn: number;
  readonly commonName: string;
  readonly issuedBy: string;
  /** Hex digits. */
  readonly serialNumber: string;
  /** Algorithm of its key, such as `rsa 2048` or `ec prime256v1`. */
  readonly signature: string;
  /** Why it is not trusted, such as `CERT_HAS_EXPIRED`. */
  readonly failureReason: string;
}

/** The host answered, but its certificate is not trusted. Only hosts that may be connected to get this far. */
export class CertificateFailure extends Error {
  override readonly name = 'CertificateFailure';

  constructor(
    readonly host: string,
    /** Such as `CERT_HAS_EXPIRED`. */
    readonly code: string,
    /** Undefined when the peer sent none, or it was not looked at. */
    readonly certificate?: PeerCertificate,
  ) {
    super(`The certificate of ${host} is not trusted: ${code}.`);
  }

  /** SHA-256 of the certificate, hex digits with colons; empty when it is not known. */
  get fingerprint(): string {
    return this.certificate?.fingerprint ?? '';
  }
}
