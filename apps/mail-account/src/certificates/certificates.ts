import {
  ACCEPT_CERTIFICATES,
  CertificateErrors,
  type CertificateTrustQuery,
  type CertificateDecision,
  type ShownCertificate,
  type UserPrincipal,
} from '@groupware/contracts';
import { readHost, type PeerCertificate } from '@groupware/outbound';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { CertificateRepository, type StoredCertificate } from '../persistence/certificate.repository';

/** Normalizes a fingerprint: upper case hex digits with colons. */
export const normalizeFingerprint = (text: string): string => {
  const digits = text.replace(/[^0-9a-f]/gi, '').toUpperCase();
  return digits.match(/.{1,2}/g)?.join(':') ?? '';
};

/** Normalizes a host name. */
export const normalizeHost = (text: string): string => readHost(text)?.host ?? text.trim().toLowerCase();

/** Untrusted certificates: those servers presented to users, and users' decisions. */
@Injectable()
export class Certificates {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly repository: CertificateRepository,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Lists the certificates known to a user, latest first. @throws SSL-0003 */
  async listCertificates(user: UserPrincipal): Promise<ShownCertificate[]> {
    await this.requireAllowed(user);
    const rows = await this.database.read(user, (db) => this.repository.listByUser(db, user.userId));
    return rows.map((row) => this.toView(row));
  }

  /** Lists what the user decided about certificates, latest first. @throws SSL-0003 */
  async listDecisions(user: UserPrincipal): Promise<CertificateDecision[]> {
    await this.requireAllowed(user);
    return this.readDecisions(user);
  }

  /** Lists the certificates that a user accepts: none where the operator forbids it. */
  async listAccepted(user: UserPrincipal): Promise<CertificateDecision[]> {
    return (await this.isAllowed(user)) ? (await this.readDecisions(user)).filter(({ trusted }) => trusted) : [];
  }

  /** Stores the user's decision about a certificate of a server. @throws SSL-0003 */
  async storeDecision(user: UserPrincipal, { fingerprint, hostname, trust }: CertificateTrustQuery): Promise<void> {
    await this.requireAllowed(user);
    const row = { fingerprint: normalizeFingerprint(fingerprint), hostname: normalizeHost(hostname), trusted: trust };
    await this.database.transact(user, (tx) => this.repository.upsertDecision(tx, user.userId, row, this.clock.now()));
  }

  /** Forgets a certificate, of one server or of all; without a fingerprint all. @throws SSL-0003 */
  async deleteCertificates(user: UserPrincipal, fingerprint?: string, hostname?: string): Promise<void> {
    await this.requireAllowed(user);
    await this.database.transact(user, (tx) =>
      this.repository.delete(
        tx,
        user.userId,
        fingerprint && normalizeFingerprint(fingerprint),
        hostname && normalizeHost(hostname),
      ),
    );
  }

  /** True when the user accepts a certificate of a host; otherwise it is recorded for the user's decision. */
  async isAccepted(user: UserPrincipal, host: string, shown: PeerCertificate): Promise<boolean> {
    const hostname = normalizeHost(host);
    const rows = await this.database.read(user, (db) => this.repository.listByUser(db, user.userId));
    const known = rows.find((row) => row.fingerprint === shown.fingerprint && row.hostname === hostname);
    if (!known?.details || known.details.failureReason !== shown.failureReason)
      await this.database.transact(user, (tx) =>
        this.repository.recordShown(tx, user.userId, hostname, shown, this.clock.now()),
      );
    return known?.trusted === true && (await this.isAllowed(user));
  }

  private async readDecisions(user: UserPrincipal): Promise<CertificateDecision[]> {
    const rows = await this.database.read(user, (db) => this.repository.listByUser(db, user.userId));
    return rows.flatMap(({ fingerprint, hostname, trusted }) =>
      trusted === null ? [] : [{ fingerprint, hostname, trusted }],
    );
  }

  private async requireAllowed(user: UserPrincipal): Promise<void> {
    if (!(await this.isAllowed(user))) throw CertificateErrors.notAllowed();
  }

  private isAllowed(user: UserPrincipal): Promise<boolean> {
    return this.properties.get(ACCEPT_CERTIFICATES, user);
  }

  private toView({ fingerprint, hostname, trusted, details }: StoredCertificate): ShownCertificate {
    const expiresOn = details?.expiresOn ?? 0;
    return {
      fingerprint,
      hostname,
      ...(trusted === null ? {} : { trusted }),
      issuedOn: details?.issuedOn ?? 0,
      expiresOn,
      expired: details !== null && expiresOn < this.clock.now(),
      commonName: details?.commonName ?? '',
      issuedBy: details?.issuedBy ?? '',
      signature: details?.signature ?? '',
      serialNumber: details?.serialNumber ?? '',
      failureReason: details?.failureReason ?? '',
    };
  }
}
