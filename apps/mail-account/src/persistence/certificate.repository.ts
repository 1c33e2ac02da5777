import type { PeerCertificate } from '@groupware/outbound';
import type { Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';

/** A certificate presented to a user. */
export interface StoredCertificate {
  readonly fingerprint: string;
  readonly hostname: string;
  /** Null until the user decides. */
  readonly trusted: boolean | null;
  /** Null when the user decided before it was presented. */
  readonly details: PeerCertificate | null;
}

/** Maximum number of certificates per user. */
const MAX_CERTIFICATES = 200;

/** Rows of certificates. */
@Injectable()
export class CertificateRepository {
  /** Lists the certificates of a user, latest first. */
  async listByUser(db: Reader, userId: number): Promise<StoredCertificate[]> {
    return db.objects<StoredCertificate>(
      `select fingerprint, hostname, trusted, details from certificate
       where context_id = $1 and user_id = $2 order by seen desc, hostname limit ${MAX_CERTIFICATES}`,
      userId,
    );
  }

  /** Records a presented certificate, and deletes the oldest undecided ones beyond the limit. */
  async recordShown(
    tx: Transaction,
    userId: number,
    hostname: string,
    details: PeerCertificate,
    now: number,
  ): Promise<void> {
    await tx.run(
      `insert into certificate (context_id, user_id, fingerprint, hostname, details, seen) values ($1, $2, $3, $4, $5, $6)
       on conflict (context_id, user_id, fingerprint, hostname) do update set details = excluded.details, seen = excluded.seen`,
      userId,
      details.fingerprint,
      hostname,
      JSON.stringify(details),
      now,
    );
    await this.deleteOldest(tx, userId);
  }

  /** Stores a user's decision. */
  async upsertDecision(
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
    await this.deleteOldest(tx, userId);
  }

  /** Deletes certificates; without a host those of all servers, without a fingerprint all. */
  async delete(tx: Transaction, userId: number, fingerprint?: string, hostname?: string): Promise<void> {
    await tx.run(
      `delete from certificate where context_id = $1 and user_id = $2
       and ($3::text is null or fingerprint = $3) and ($4::text is null or hostname = $4)`,
      userId,
      fingerprint ?? null,
      hostname ?? null,
    );
  }

  /** Removes everything of the context. */
  async deleteByContext(tx: Transaction): Promise<void> {
    await tx.run('delete from certificate where context_id = $1');
  }

  /** Deletes the oldest beyond the limit, undecided ones first. */
  private async deleteOldest(tx: Transaction, userId: number): Promise<void> {
    await tx.run(
      `delete from certificate where context_id = $1 and user_id = $2 and (fingerprint, hostname) in (
         select fingerprint, hostname from certificate where context_id = $1 and user_id = $2
         order by trusted is null, seen desc offset ${MAX_CERTIFICATES})`,
      userId,
    );
  }
}
