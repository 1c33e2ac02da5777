import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { authentication, OAUTH_ACCESS_LIFE } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Clock, Properties } from '@groupware/service-kit';
import { SESSION_FACTS, SessionStore, toTokenSessionId, type Session } from '@groupware/sessions';
import { EndedSessions } from '../ended-sessions';

/** Kind of the index of sessions by grant and application. */
const INDEX = 'oauth-grant';
/** Sessions that are looked up at once. */
const BATCH = 500;

/** An access token that was issued. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresInSeconds: number;
}

/** Owner and purpose of an access token. */
export interface TokenOwner {
  readonly contextId: number;
  readonly userId: number;
  readonly clientId: string;
  readonly grant: string;
  readonly scopes: readonly string[];
}

/** The sessions behind access tokens: made by identity under a digest of the token, so that one look-up finds user and scopes. */
@Injectable()
export class ProviderSessions {
  constructor(
    private readonly sessions: SessionStore,
    private readonly caller: Caller,
    private readonly ended: EndedSessions,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Issues an access token; undefined when the user may not log in any more. */
  async issueToken({ contextId, userId, clientId, grant, scopes }: TokenOwner): Promise<IssuedToken | undefined> {
    const token = randomBytes(32).toString('base64url');
    const lifetimeMs = this.properties.serverValue(OAUTH_ACCESS_LIFE);
    const sessionId = toTokenSessionId(token);
    const isOpen = await this.caller.call(authentication.openApplication, {
      principal: { kind: 'internal', service: 'sso', contextId },
      query: {
        userId,
        sessionId,
        client: `oauth:${clientId}`,
        grant,
        scopes: [...scopes],
        validUntil: this.clock.now() + lifetimeMs,
      },
    });
    if (!isOpen) return undefined;
    await this.sessions.sessionIndex(INDEX).addSession([nameOfGrant(grant), nameOfClient(clientId)], sessionId);
    return { token, expiresInSeconds: Math.floor(lifetimeMs / 1000) };
  }

  /** The session of an access token, untouched. */
  async find(token: string): Promise<Session | undefined> {
    const session = await this.sessions.peek(toTokenSessionId(token));
    const validUntil = Number(session?.parameters[SESSION_FACTS.validUntil] ?? 0);
    return session?.parameters[SESSION_FACTS.grant] !== undefined && validUntil > this.clock.now()
      ? session
      : undefined;
  }

  /** Ends the access tokens of grants. */
  async endOfGrants(grants: readonly string[]): Promise<void> {
    for (const grant of grants) await this.endOf(nameOfGrant(grant));
  }

  /** Ends all access tokens of an application. */
  async endOfClient(clientId: string): Promise<void> {
    await this.endOf(nameOfClient(clientId));
  }

  private async endOf(name: string): Promise<void> {
    const index = this.sessions.sessionIndex(INDEX);
    const digests = await index.listDigests(name);
    for (let at = 0; at < digests.length; at += BATCH) {
      const found = await Promise.all(
        digests.slice(at, at + BATCH).map((digest) => this.sessions.peekByDigest(digest)),
      );
      await this.ended.endById(found.flatMap((session) => (session ? [session.id] : [])));
    }
  }
}

const nameOfGrant = (grant: string): string => `grant ${grant}`;
const nameOfClient = (clientId: string): string => `client ${clientId}`;
