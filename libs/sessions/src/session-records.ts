import { createHash } from 'node:crypto';
import type { SealedText } from './sealed-text';
import type { Session } from './session';

/** A session as the store keeps it: without what its expiry tells. */
export type SessionRecord = Omit<Session, 'lastActive' | 'expiresAt'>;

/** Records of which a process keeps the opened form. */
const MAX_OPENED = 2_000;

/** Digest of a session id: names the session in the store, and cannot be turned back into the id. */
export const sessionDigest = (id: string): string => createHash('sha256').update(id).digest('base64url');

/**
 * Writes and reads session records as sealed texts, so that a reader of the store, its append-only file or a backup of it
 * learns neither the ids nor the cookie values of live sessions.
 */
export class SessionRecords {
  /** By the sealed text, so a changed session is another entry. */
  private readonly opened = new Map<string, SessionRecord>();

  constructor(private readonly seal: SealedText) {}

  /** The sealed form of a record; it opens only under the digest of its own id. */
  sealRecord(record: SessionRecord): string {
    return this.seal.seal(JSON.stringify(record), sessionDigest(record.id));
  }

  /** The record, or undefined when it was sealed with an unknown key. The same text gives the same object. */
  unsealRecord(text: string, digest: string): SessionRecord | undefined {
    const known = this.opened.get(text);
    if (known) return known;
    const json = this.seal.open(text, digest);
    if (json === undefined) return undefined;
    // Sessions are read far more often than they change.
    if (this.opened.size >= MAX_OPENED) this.opened.clear();
    const record = JSON.parse(json) as SessionRecord;
    this.opened.set(text, record);
    return record;
  }
}
