import {
  autoconfig,
  AutoconfigErrors,
  RequestErrors,
  type CallOf,
  type FoundConfig,
  type Handler,
} from '@groupware/contracts';
import { readHost } from '@groupware/outbound';
import { Handles, Logger } from '@groupware/service-kit';
import { SessionStore, type RateLimiter } from '@groupware/sessions';
import { AutoconfigConfig } from '../autoconfig/autoconfig.config';
import { DomainLookup } from '../autoconfig/domain-lookup';
import { ServerSearch, type SearchRequest } from '../autoconfig/server-search';
import type { AddressParts, Suggestions } from '../autoconfig/suggestion';

const log = Logger.for('mail-account.autoconfig');
/** Lifetime, ms, and size of the cache of domains. */
const CACHE_MS = 3_600_000;
const MAX_CACHED = 1_000;

/** `get` of autoconfig: tries all sources in order within one deadline; the first working one wins. */
@Handles(autoconfig.get)
export class AutoconfigGetHandler implements Handler<typeof autoconfig.get> {
  private readonly limit: RateLimiter;
  private readonly cache = new Map<string, { readonly until: number; readonly found: Suggestions }>();

  constructor(
    private readonly config: AutoconfigConfig,
    private readonly lookup: DomainLookup,
    private readonly search: ServerSearch,
    sessions: SessionStore,
  ) {
    this.limit = sessions.rateLimiter({ name: 'autoconfig', points: config.perMinute, windowMs: 60_000 });
  }

  async handle({ principal, body, signal }: CallOf<typeof autoconfig.get>): Promise<FoundConfig> {
    const parts = parseAddress(body.email);
    if (body.oauth === undefined && !body.password) throw RequestErrors.missingParameter('password');
    const owner = `${principal.contextId}:${principal.userId}`;
    await this.limit.consumeEvent(owner);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(this.config.timeoutMs)]);
    const search: SearchRequest = {
      user: principal,
      parts,
      oauth: body.oauth,
      password: body.oauth === undefined ? body.password : undefined,
      forceSecure: body.force_secure ?? true,
      signal: deadline,
    };
    for await (const suggestions of this.lookUpSuggestions(parts, owner, deadline)) {
      const found = await this.search.verifySuggestions(search, suggestions);
      if (!found) continue;
      if (!suggestions.guessed) this.cacheSuggestions(parts.domain, suggestions);
      log.info({ domain: parts.domain, source: suggestions.source, server: found.mail_server }, 'servers found');
      return found;
    }
    log.info({ domain: parts.domain }, 'no servers found');
    return {};
  }

  private async *lookUpSuggestions(
    parts: AddressParts,
    owner: string,
    signal: AbortSignal,
  ): AsyncIterable<Suggestions> {
    const cached = this.cache.get(parts.domain);
    if (cached && cached.until > Date.now()) yield cached.found;
    for (const source of this.lookup.startLookups(parts, owner, signal)) {
      const found = await source;
      if (signal.aborted) return;
      if (found) yield found;
    }
    yield this.lookup.listGuesses(parts.domain);
  }

  private cacheSuggestions(domain: string, found: Suggestions): void {
    if (this.cache.size >= MAX_CACHED) this.cache.clear();
    this.cache.set(domain, { until: Date.now() + CACHE_MS, found });
  }
}

/** @throws MAIL-AUTOCONFIG-0002 */
function parseAddress(text: string): AddressParts {
  const match = /^([^\s@<>"(),:;[\]\\]{1,64})@([^\s@]{1,255})$/.exec(text.trim());
  const host = match && readHost(match[2]!);
  if (!host || host.isAddress || !host.host.includes('.')) throw AutoconfigErrors.badAddress(text);
  return { address: `${match[1]}@${host.host}`, local: match[1]!, domain: host.host };
}
