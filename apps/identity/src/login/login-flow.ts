import { Injectable } from '@nestjs/common';
import {
  UI_WEB_PATH,
  type ClientParameters,
  type CookieChange,
  type EdgeRequest,
  type Reply,
} from '@groupware/contracts';
import { loginCookies, SessionStore, type Session } from '@groupware/sessions';
import { leadTo } from './bare-replies';
import { Cascade } from './cascade';
import { CredentialCheck } from './credential-check';
import { SessionOpener, type LoginClient, type ProvenUser } from './session-opener';

/** A session that was just opened, with the cookies its browser needs. */
export interface OpenedSession {
  readonly session: Session;
  readonly cookies: CookieChange[];
}

/** What every way to log in has in common. */
@Injectable()
export class LoginFlow {
  constructor(
    private readonly credentials: CredentialCheck,
    private readonly opener: SessionOpener,
    private readonly sessions: SessionStore,
    private readonly cascade: Cascade,
  ) {}

  /** Opens a session for a login name and its password. @throws as `login` documents */
  async byPassword(
    login: string,
    password: string,
    parameters: ClientParameters,
    edge: EdgeRequest,
  ): Promise<OpenedSession> {
    const client = this.opener.client(parameters, edge);
    const user = await this.credentials.prove(login, password, edge.remoteAddress);
    return this.open(user, client, parameters, edge);
  }

  /** Opens a session for somebody whose identity is proven. */
  async open(
    user: ProvenUser,
    client: LoginClient,
    parameters: ClientParameters,
    edge: EdgeRequest,
  ): Promise<OpenedSession> {
    const session = await this.opener.open(user, client, parameters, edge);
    return { session, cookies: this.cookiesOf(session, client, edge) };
  }

  /** The cookies of a session for a client. */
  cookiesOf(session: Session, client: LoginClient, edge: EdgeRequest): CookieChange[] {
    return loginCookies(session, { userAgent: client.userAgent, headers: edge.headers }, this.sessions.settings);
  }

  /** Where the web client is, with facts in the fragment, which no server and no proxy sees. */
  webAddress(wanted: string | undefined, facts: Readonly<Record<string, string | number | undefined>>): string {
    const fragment = Object.entries(facts)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
    const path = localPath(wanted) ?? this.cascade.value(UI_WEB_PATH);
    return fragment.length > 0 ? `${path}#${fragment.join('&')}` : path;
  }

  /** Leads a browser to the web client with its session. */
  redirect(
    { session, cookies }: OpenedSession,
    wanted: string | undefined,
    further: Readonly<Record<string, string | undefined>> = {},
  ): Reply<undefined> {
    const location = this.webAddress(wanted, {
      session: session.id,
      user: session.login,
      user_id: session.userId,
      context_id: session.contextId,
      language: session.principal.locale,
      ...further,
    });
    return leadTo(location, cookies);
  }
}

/** A path of this host, or undefined: a login must not lead to somebody else's page. */
export function localPath(wanted: string | undefined): string | undefined {
  // Printable ASCII only: what a path holds besides is percent-encoded.
  return wanted && /^\/(?![/\\])[!"$-[\]-~]*$/.test(wanted) ? wanted : undefined;
}
