import type { PeerCertificate } from '@groupware/outbound';
import type { Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';

/** A certificate that a server showed a user. */
export interface StoredCertificate {
  readonly fingerprint: string;
  readonly hostname: string;
  /** Null until the user has decided. */
  readonly trusted: boolean | null;
  /** Null when the user decided before a server showed it. */
  readonly details: PeerCertificate | null;
}

/** Most certificates that are kept for one user. */
const MAX_CERTIFICATES = 200;

/** Rows of certificates. */
@Injectable()
export class CertificateRepository {
  /** Those of a user, the latest first. */
  async ofUser(db: Reader, userId: number): Promise<StoredCertificate[]> {
    return db.objects<StoredCertificate>(
      `select fingerprint, hostname, trusted, details from certificate
       where context_id = $1 and user_id = $2 order by seen desc, hostname limit ${MAX_CERTIFICATES}`,
      userId,
    );
  }

  /** Notes that a server showed a certificate, and forgets those that nobody decided about when they become many. */
  async show(tx: Transaction, userId: number, hostname: string, details: PeerCertificate, now: number): Promise<void> {
    await tx.run(
      `insert into certificate (context_id, user_id, fingerprint, hostname, details, seen) values ($1, $2, $3, $4, $5, $6)
       on conflict (context_id, user_id, fingerprint, hostname) do update set details = excluded.details, seen = excluded.seen`,
      userId,
      details.fingerprint,
      hostname,
      JSON.stringify(details),
      now,
    );
    await this.trim(tx, userId);
  }

  /** Stores what a user thinks of a certificate. */
  async decide(
    tx: Transaction,
    userId: number,
    { fingerprint, hostname, trusted }: Omit<StoredCertificate, 'details'>,
    now: number,
  ): Promise<void> {
    await tx.run(
      `insert into certificate (context_id, user_id, fingerprint, hostname, trusted, seen) values ($1, $2, $3, $4, $5, $6)
       on conflict (context_id, user_id, fingerprint, hostname) do update set trusted = excluded.trusted`,
      userId,
      fingerprint,
      hostname,
      trusted,
      now,
    );
    await this.trim(tx, userId);
  }

  /** Forgets certificates; without a name those of all servers, without a fingerprint all. */
  async remove(tx: Transaction, userId: number, fingerprint?: string, hostname?: string): Promise<void> {
    await tx.run(
      `delete from certificate where context_id = $1 and user_id = $2
       and ($3::text is null or fingerprint = $3) and ($4::text is null or hostname = $4)`,
      userId,
      fingerprint ?? null,
      hostname ?? null,
    );
  }

  /** Removes everything of the context. */
  async removeContext(tx: Transaction): Promise<void> {
    await tx.run('delete from certificate where context_id = $1');
  }

  /** Those decided about are kept longest. */
  private async trim(tx: Transaction, userId: number): Promise<void> {
    await tx.run(
      `delete from certificate where context_id = $1 and user_id = $2 and (fingerprint, hostname) in (
         select fingerprint, hostname from certificate where context_id = $1 and user_id = $2
         order by trusted is null, seen desc offset ${MAX_CERTIFICATES})`,
      userId,
    );
  }
}
