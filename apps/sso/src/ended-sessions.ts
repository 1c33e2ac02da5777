import { Injectable } from '@nestjs/common';
import { authentication } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { SessionStore, SIGN_ON_INDEX, signOnNames, signOnOf, type SignOn } from '@groupware/sessions';

/** Ends the sessions that a logout at an identity provider names, on every replica. */
@Injectable()
export class EndedSessions {
  constructor(
    private readonly sessions: SessionStore,
    private readonly caller: Caller,
  ) {}

  /** Ends sessions by id. */
  async endById(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.caller.call(authentication.endSessions, {
      principal: { kind: 'internal', service: 'sso', contextId: 0 },
      query: { ids: [...ids] },
    });
  }

  /** Ends the sessions of one session at the provider, or without `sid` all of the subject. */
  async endSignOn(of: Pick<SignOn, 'way' | 'provider' | 'backend' | 'subject' | 'sid'>): Promise<number> {
    const names = signOnNames(of);
    const digests = await this.sessions.sessionIndex(SIGN_ON_INDEX).listDigests(names.session ?? names.subject);
    const found = await Promise.all(digests.map((digest) => this.sessions.peekByDigest(digest)));
    const ids = found.flatMap((session) => {
      const signOn = session && signOnOf(session);
      const isMeant =
        signOn?.way === of.way &&
        signOn.provider === of.provider &&
        (of.subject === '' || signOn.subject === of.subject) &&
        (of.sid === undefined || signOn.sid === of.sid);
      return session && isMeant ? [session.id] : [];
    });
    await this.endById(ids);
    return ids.length;
  }
}
