import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SessionStore } from '@groupware/sessions';

/** Longest time that one process may refresh: what a service may be asked takes no longer, ms. */
const REFRESH_MS = 30_000;
/** How often others look whether it is done, ms. */
const LOOK_MS = 100;
/** How long after a refused token was replaced the next one is not, ms: a server that refuses all of them must not cost one each time. */
const FORCED_MS = 60_000;

/** Tokens as they are kept now. `refused`: they should be good, but a server did not take them. */
export interface KeptTokens<T> {
  readonly tokens: T;
  readonly state: 'good' | 'old' | 'refused';
}

/** Refresh of tokens: what they belong to, and how to read and renew them. */
export interface TokenRefresh<T> {
  /** Names what the tokens belong to; no secret. */
  readonly name: string;
  read(): Promise<KeptTokens<T>>;
  renew(tokens: T): Promise<T>;
  /** The error when others took too long. */
  late(): Error;
}

/** Lets one process refresh tokens while others wait for it: a refresh token that comes twice ends the grant at many services. */
@Injectable()
export class TokenRefreshes {
  constructor(private readonly sessions: SessionStore) {}

  /** Good tokens, refreshed by the first process; undefined when those that were refused were replaced a moment ago. */
  async refresh<T>({ name, read, renew, late }: TokenRefresh<T>): Promise<T | undefined> {
    const claim = `token-refresh:${name}`;
    const end = performance.now() + REFRESH_MS;
    while (performance.now() < end) {
      const isOurs = await this.sessions.claimName(claim, REFRESH_MS);
      try {
        const { tokens, state } = await read();
        if (state === 'good') return tokens;
        if (isOurs) return state === 'old' || (await this.mayReplace(name)) ? await renew(tokens) : undefined;
      } finally {
        if (isOurs) await this.sessions.releaseName(claim);
      }
      await pause(LOOK_MS);
    }
    throw late();
  }

  private mayReplace(name: string): Promise<boolean> {
    return this.sessions.claimName(`token-forced:${name}`, FORCED_MS);
  }
}
