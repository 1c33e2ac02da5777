import { Injectable } from '@nestjs/common';
import {
  UI_WEB_PATH,
  type SessionParameters,
  type CookieChange,
  type EdgeRequest,
  type Reply,
} from '@groupware/contracts';
import {
  buildWebAddress,
  createLoginCookies,
  SHARE_FRAGMENT,
  SessionStore,
  toLocalPath,
  toSessionFacts,
  type Session,
} from '@groupware/sessions';
import { redirectTo } from './browser-replies';
import { Cascade } from '../configuration/cascade';
import { CredentialCheck } from './credential-check';
import { SessionOpener, type LoginClient, type AuthenticatedUser } from './session-opener';

/** A session that was just opened, with the cookies its browser needs. */
export interface OpenedSession {
  readonly session: Session;
  readonly cookies: CookieChange[];
}

/** Steps shared by all kinds of login. */
@Injectable()
export class LoginFlow {
  constructor(
    private readonly credentials: CredentialCheck,
    private readonly opener: SessionOpener,
    private readonly sessions: SessionStore,
    private readonly cascade: Cascade,
  ) {}

  /** Opens a session for a login name and its password. @throws as `login` documents */
  async loginByPassword(
    login: string,
    password: string,
    parameters: SessionParameters,
    edge: EdgeRequest,
  ): Promise<OpenedSession> {
    const client = this.opener.resolveClient(parameters, edge);
    const user = await this.credentials.authenticate(login, password, edge.remoteAddress);
    return this.openSession(user, client, parameters, edge);
  }

  /** Opens a session for an authenticated user. */
  async openSession(
    user: AuthenticatedUser,
    client: LoginClient,
    parameters: SessionParameters,
    edge: EdgeRequest,
  ): Promise<OpenedSession> {
    const session = await this.opener.openSession(user, client, parameters, edge);
    return { session, cookies: this.createCookies(session, client, edge) };
  }

  /** The cookies of a session for a client. */
  createCookies(session: Session, client: LoginClient, edge: EdgeRequest): CookieChange[] {
    return createLoginCookies(session, { userAgent: client.userAgent, headers: edge.headers }, this.sessions.settings);
  }

  /** Builds the URL of the web client; parameters go into the fragment, which no server or proxy sees. */
  buildWebAddress(wanted: string | undefined, facts: Readonly<Record<string, string | number | undefined>>): string {
    return buildWebAddress(toLocalPath(wanted) ?? this.cascade.value(UI_WEB_PATH), facts);
  }

  /** Builds the URL at which the web client opens a share. */
  buildShareAddress(facts: Readonly<Record<string, string | number | undefined>>): string {
    return buildWebAddress(this.cascade.value(UI_WEB_PATH), facts, SHARE_FRAGMENT);
  }

  /** Redirects a browser to the web client with its session. */
  redirectToWebClient(
    { session, cookies }: OpenedSession,
    wanted: string | undefined,
    further: Readonly<Record<string, string | undefined>> = {},
  ): Reply<undefined> {
    return redirectTo(this.buildWebAddress(wanted, { ...toSessionFacts(session), ...further }), cookies);
  }

  /** Redirects a browser to a share with the session of its guest, which the browser keeps. */
  redirectToShare({ session, cookies }: OpenedSession, place: Readonly<Record<string, string>>): Reply<undefined> {
    return redirectTo(this.buildShareAddress({ ...toSessionFacts(session), store: 'true', ...place }), cookies);
  }
}
