import type { NewSession } from '../session';
import { computeCookieHash } from '../session-cookies';
import { createSessionSettings } from '../session-settings';

/** A login of user 3 in context 7 with client c1; every part can be replaced. */
export function newSession(parts: Partial<NewSession> = {}): NewSession {
  const userAgent = parts.userAgent ?? 'Mozilla/5.0';
  const client = parts.client ?? 'c1';
  const contextId = parts.contextId ?? 7;
  const userId = parts.userId ?? 3;
  return {
    contextId,
    userId,
    login: 'anna@demo',
    client,
    version: '1',
    userAgent,
    hash: computeCookieHash({ userAgent, client }, createSessionSettings()),
    ip: '192.0.2.1',
    staySignedIn: false,
    principal: {
      kind: 'user',
      contextId,
      userId,
      groups: [0],
      locale: 'en_US',
      timeZone: 'UTC',
      capabilities: [],
      login: 'anna',
      displayName: 'Anna',
      email: 'anna@demo.example',
    },
    ...parts,
  };
}
