import type tls from 'node:tls';

/** Most hosts whose session is kept; one takes 2 to 5 KB. */
const MAX_SESSIONS = 500;
/** A certificate is looked at again after this time at the latest, ms. */
const LIFE_MS = 3_600_000;

interface KeptSession {
  readonly session: Buffer;
  readonly until: number;
}

/**
 * The latest TLS session of each host and port, as the agents of Node keep them: a connection that resumes one needs neither
 * signatures nor a look at the certificate. Only sessions whose certificate is trusted are kept, since a resumed one counts as
 * trusted without a further check.
 */
export class TlsSessions {
  private readonly kept = new Map<string, KeptSession>();

  /** The session to resume; undefined when there is none. */
  findSession(key: string): Buffer | undefined {
    const found = this.kept.get(key);
    return found && found.until > Date.now() ? found.session : undefined;
  }

  /** Keeps what a connection has, and what its server sends later. */
  keepSessions(key: string, socket: tls.TLSSocket): void {
    if (!socket.authorized) return;
    const isResumed = socket.isSessionReused();
    // With TLS 1.3 a session can be resumed only once its ticket has come, which may be now or later.
    const session = socket.getTLSTicket() && socket.getSession();
    if (session) this.keep(key, session, isResumed);
    socket.on('session', (later: Buffer) => this.keep(key, later, isResumed));
  }

  /** Forgets a session, because the host did not answer as it should. */
  forget(key: string): void {
    this.kept.delete(key);
  }

  private keep(key: string, session: Buffer, isResumed: boolean): void {
    const before = this.kept.get(key);
    // Its certificate was seen when the first session of the row began.
    const until = isResumed ? before?.until : Date.now() + LIFE_MS;
    if (until === undefined) return;
    // The session used last is at the end, so that the first one is the one to leave.
    this.kept.delete(key);
    this.kept.set(key, { session, until });
    if (this.kept.size > MAX_SESSIONS) this.kept.delete(this.kept.keys().next().value!);
  }
}
