import {
  ACCEPT_CERTIFICATES,
  CertificateErrors,
  type CertificateTrustQuery,
  type ShownCertificate,
  type UserPrincipal,
} from '@groupware/contracts';
import { readHost, type PeerCertificate } from '@groupware/outbound';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { CertificateRepository, type StoredCertificate } from './persistence/certificate.repository';

/** A fingerprint in the one form it is stored in: upper case hex digits with colons. */
export const fingerprintOf = (text: string): string => {
  const digits = text.replace(/[^0-9a-f]/gi, '').toUpperCase();
  return digits.match(/.{1,2}/g)?.join(':') ?? '';
};

/** A host name in the one form it is stored in. */
export const hostOf = (text: string): string => readHost(text)?.host ?? text.trim().toLowerCase();

/** Certificates that are not trusted in general: what servers showed to users, and what users accept. */
@Injectable()
export class Certificates {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly repository: CertificateRepository,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** All that are known to a user, the latest first. */
  async of(user: UserPrincipal): Promise<ShownCertificate[]> {
    const rows = await this.database.read(user, (db) => this.repository.ofUser(db, user.userId));
    return rows.map((row) => this.viewOf(row));
  }

  /** Stores what the user thinks of a certificate of a server. @throws SSL-0003 */
  async decide(user: UserPrincipal, { fingerprint, hostname, trust }: CertificateTrustQuery): Promise<void> {
    if (trust && !(await this.properties.get(ACCEPT_CERTIFICATES, user))) throw CertificateErrors.notAllowed();
    const row = { fingerprint: fingerprintOf(fingerprint), hostname: hostOf(hostname), trusted: trust };
    await this.database.transact(user, (tx) => this.repository.decide(tx, user.userId, row, this.clock.now()));
  }

  /** Forgets a certificate, of one server or of all; without a fingerprint all. */
  async forget(user: UserPrincipal, fingerprint?: string, hostname?: string): Promise<void> {
    await this.database.transact(user, (tx) =>
      this.repository.remove(tx, user.userId, fingerprint && fingerprintOf(fingerprint), hostname && hostOf(hostname)),
    );
  }

  /** True when the user accepts a certificate of a host; otherwise it is noted, so that he can look at it. */
  async accepts(user: UserPrincipal, host: string, shown: PeerCertificate): Promise<boolean> {
    const hostname = hostOf(host);
    const rows = await this.database.read(user, (db) => this.repository.ofUser(db, user.userId));
    const known = rows.find((row) => row.fingerprint === shown.fingerprint && row.hostname === hostname);
    if (!known?.details || known.details.failureReason !== shown.failureReason)
      await this.database.transact(user, (tx) =>
        this.repository.show(tx, user.userId, hostname, shown, this.clock.now()),
      );
    return known?.trusted === true && (await this.properties.get(ACCEPT_CERTIFICATES, user));
  }

  private viewOf({ fingerprint, hostname, trusted, details }: StoredCertificate): ShownCertificate {
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
