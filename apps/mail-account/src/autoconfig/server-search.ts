import type { FoundConfig, UserPrincipal } from '@groupware/contracts';
import { MailAccessSettings, MailFailure } from '@groupware/mail-access';
import { OutboundGuard, PortList } from '@groupware/outbound';
import { Injectable } from '@nestjs/common';
import { AccountCheck, type CheckOutcome } from '../connection/account-check';
import { toServerUrl } from '../domain/server-address';
import {
  isSecure,
  listLogins,
  sortSuggestions,
  type AddressParts,
  type Suggestion,
  type Suggestions,
} from './suggestion';

/** A search and its bounds. */
export interface SearchRequest {
  readonly user: UserPrincipal;
  readonly parts: AddressParts;
  /** Undefined with an OAuth account. */
  readonly password?: string;
  readonly oauth?: number;
  readonly forceSecure: boolean;
  readonly signal: AbortSignal;
}

/** A server that was verified. */
interface Verified {
  readonly server: Suggestion;
  readonly login: string;
  /** False when the server refuses name and password. */
  readonly accepted: boolean;
}

/** Longest time for one server, ms. */
const SERVER_MS = 5_000;

/** Verifies suggested servers. */
@Injectable()
export class ServerSearch {
  private readonly ports: PortList;

  constructor(
    private readonly check: AccountCheck,
    private readonly guard: OutboundGuard,
    settings: MailAccessSettings,
  ) {
    this.ports = new PortList(settings.ports);
  }

  /** Verifies the servers of one source; undefined when none of its mail servers answers. */
  async verifySuggestions(search: SearchRequest, suggestions: Suggestions): Promise<FoundConfig | undefined> {
    const { forceSecure } = search;
    const mail = await this.findFirstWorking(
      search,
      sortSuggestions(suggestions.mail, forceSecure),
      suggestions,
      'mail',
    );
    if (!mail) return undefined;
    const transport = await this.findFirstWorking(
      search,
      sortSuggestions(suggestions.transport, forceSecure),
      suggestions,
      'transport',
      mail.login,
    );
    return {
      login: mail.login,
      ...toServerFields('mail', mail.server),
      ...(transport ? toServerFields('transport', transport.server) : {}),
      ...(search.oauth === undefined
        ? {}
        : { mail_oauth: search.oauth, ...(transport ? { transport_oauth: search.oauth } : {}) }),
      config_source: suggestions.source,
    };
  }

  /** Tries servers concurrently and takes the first working one in their order. */
  private async findFirstWorking(
    search: SearchRequest,
    servers: readonly Suggestion[],
    { guessed }: Suggestions,
    side: 'mail' | 'transport',
    login?: string,
  ): Promise<Verified | undefined> {
    if (search.oauth !== undefined && !guessed) {
      const [server] = servers;
      return server && { server, login: login ?? listLogins(server, search.parts)[0]!, accepted: true };
    }
    const found = new AbortController();
    const signal = AbortSignal.any([search.signal, found.signal]);
    const attempts = servers.map((server) => this.attemptLogin({ ...search, signal }, server, side, login));
    let refused: Verified | undefined;
    try {
      for (const attempt of attempts) {
        const result = await attempt;
        if (result?.accepted) return result;
        refused ??= result;
      }
    } finally {
      found.abort(); // The others need not go on.
    }
    // A refused password still confirms the server, unless it was guessed.
    return guessed && side === 'mail' ? undefined : refused;
  }

  private async attemptLogin(
    search: SearchRequest,
    server: Suggestion,
    side: 'mail' | 'transport',
    login: string | undefined,
  ): Promise<Verified | undefined> {
    const logins = login === undefined ? listLogins(server, search.parts) : [login];
    if (search.password === undefined) {
      const answers = await this.isReachable(search, server);
      return answers ? { server, login: logins[0]!, accepted: true } : undefined;
    }
    let refused = false;
    for (const name of logins)
      try {
        const { secure } = await this.logIn(search, server, side, name, search.password);
        // A connection upgraded by STARTTLS is configured as such.
        return {
          server: secure && !isSecure(server) ? { ...server, starttls: true } : server,
          login: name,
          accepted: true,
        };
      } catch (error) {
        if (!(error instanceof MailFailure) || error.kind !== 'credentials') break;
        refused = true;
      }
    return refused ? { server, login: logins[0]!, accepted: false } : undefined;
  }

  private logIn(
    { user, signal }: SearchRequest,
    server: Suggestion,
    side: 'mail' | 'transport',
    login: string,
    password: string,
  ): Promise<CheckOutcome> {
    const request = { user, id: -1, server, credentials: { login, password }, timeoutMs: SERVER_MS, signal };
    return side === 'mail' ? this.check.checkMail(request) : this.check.checkTransport(request);
  }

  private async isReachable(
    { user, signal }: SearchRequest,
    { protocol, host, port, secure }: Suggestion,
  ): Promise<boolean> {
    const target = {
      host,
      port,
      purpose: protocol,
      ports: this.ports,
      onBehalfOf: `${user.contextId}:${user.userId}`,
      timeoutMs: SERVER_MS,
      signal,
    };
    try {
      const socket = secure ? await this.guard.connectTls(target) : await this.guard.connect(target);
      socket.on('error', () => undefined).destroy();
      return true;
    } catch {
      return false;
    }
  }
}

const toServerFields = (side: 'mail' | 'transport', server: Suggestion) => ({
  [`${side}_server`]: server.host,
  [`${side}_port`]: server.port,
  [`${side}_protocol`]: server.protocol,
  [`${side}_secure`]: server.secure,
  [`${side}_starttls`]: server.starttls,
  [`${side}_url`]: toServerUrl(server),
});
