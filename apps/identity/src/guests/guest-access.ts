import { Injectable } from '@nestjs/common';
import {
  ALL_GUESTS,
  CatalogueError,
  folderOwners,
  guestOfToken,
  LoginErrors,
  SessionErrors,
  ShareErrors,
  SHARE_CLIENT,
  SHARE_TRANSIENT_SESSIONS,
  type ClientParameters,
  type CookieChange,
  type EdgeRequest,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import {
  cookieHash,
  loginCookies,
  readCookie,
  SESSION_FACTS,
  SessionGuard,
  sessionCookieNames,
  SessionStore,
  shareCookie,
  shareCookieNames,
  type Session,
} from '@groupware/sessions';
import { Passwords } from '../domain/passwords';
import { normalLocale } from '../domain/locale';
import { Cascade } from '../login/cascade';
import { LoginLimits } from '../login/login-limits';
import { localeOf } from '../login/refusal';
import { ContextRepository } from '../persistence/context.repository';
import type { OpenedSession } from '../login/login-flow';
import type { PrincipalDraft } from '../login/principal-builder';
import { GuestRepository, type Guest } from './guest.repository';
import { GuestVault } from './guest-vault';

/** A folder that a guest may see. */
export interface SharedFolder {
  readonly module: string;
  readonly folder: number;
}

/** A guest whose token was right, with what the guest was given. */
export interface ShownShare {
  readonly contextId: number;
  readonly guest: Guest;
  readonly folders: readonly SharedFolder[];
  readonly token: string;
}

/** Guests see calendars of others and nothing else; what exactly, permissions say. */
const CAPABILITIES = ['calendar', 'guest', 'read_create_shared_folders'];

/** Lets guests in: by the token of a share, and by its pin where it has one. */
@Injectable()
export class GuestAccess {
  private readonly log = Logger.for('identity.login');
  private readonly guard: SessionGuard;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly guests: GuestRepository,
    private readonly contexts: ContextRepository,
    private readonly vault: GuestVault,
    private readonly passwords: Passwords,
    private readonly limits: LoginLimits,
    private readonly cascade: Cascade,
    private readonly sessions: SessionStore,
    private readonly caller: Caller,
    private readonly clock: Clock,
  ) {
    this.guard = new SessionGuard(sessions);
  }

  /** The share of a token; undefined for an unknown or expired one, and when nothing is shared with the guest any more. */
  async shown(token: string): Promise<ShownShare | undefined> {
    const named = guestOfToken(token);
    if (!named) return undefined;
    const { contextId, guestId } = named;
    const guest = await this.database.read({ contextId }, (db) => this.guests.find(db, guestId));
    if (!guest || !this.vault.isTokenOf(contextId, guest, token) || this.isOver(guest)) return undefined;
    const folders = await this.foldersOf(contextId, guestId);
    return folders.length > 0 ? { contextId, guest, folders, token: token.toLowerCase() } : undefined;
  }

  /**
   * Opens the session of an anonymous guest. Unknown tokens take as long as wrong pins.
   * @throws SHR-0002, LGI-0025, LGI-0028, SVL-0019, SES-0204
   */
  async byPin(
    token: string,
    pin: string | undefined,
    parameters: ClientParameters,
    edge: EdgeRequest,
  ): Promise<OpenedSession> {
    const key = limitKey(token);
    await this.limits.check(key, edge.remoteAddress);
    const share = await this.shown(token);
    const known = share?.guest.email === null ? share : undefined;
    const stored = known?.guest.passwordHash ?? undefined;
    const isOpen = known !== undefined && stored === undefined;
    const { correct } = isOpen ? { correct: true } : await this.passwords.check(pin ?? '', stored);
    if (!known || !correct) {
      await this.limits.failed(key, edge.remoteAddress);
      throw known ? LoginErrors.guestPasswordWrong() : ShareErrors.notFound();
    }
    if (!isOpen) await this.limits.succeeded(key, edge.remoteAddress);
    return this.open(known, parameters, edge);
  }

  /** Opens a session for a guest who has shown what is needed. @throws SES-0204, SHR-0002 when the share went meanwhile */
  async open(share: ShownShare, parameters: ClientParameters, edge: EdgeRequest): Promise<OpenedSession> {
    const { contextId, guest } = share;
    await this.requireContext(contextId);
    const principal = this.principalOf(share, parameters, edge);
    const session = await this.sessions.create({
      contextId,
      userId: guest.id,
      login: principal.login,
      version: parameters.version ?? '',
      ip: edge.remoteAddress,
      staySignedIn: !this.cascade.value(SHARE_TRANSIENT_SESSIONS),
      guest: true,
      principal,
      ...this.clientOf(share, edge, parameters.clientUserAgent),
      ...(parameters.authId ? { authId: parameters.authId } : {}),
      parameters: guest.expiresAt === null ? {} : { [SESSION_FACTS.validUntil]: String(guest.expiresAt) },
    });
    await this.confirm(share, session);
    this.log.info({ contextId, userId: guest.id }, 'session of a guest opened');
    return { session, cookies: this.cookiesOf(share, session, edge) };
  }

  /** The live session of an earlier visit of the same browser. */
  async resumed(share: ShownShare, edge: EdgeRequest): Promise<OpenedSession | undefined> {
    const { hash } = this.clientOf(share, edge);
    const id = readCookie(edge.cookies, sessionCookieNames(hash, this.sessions.settings.compatNames));
    if (id === undefined) return undefined;
    const session = (await this.sessions.lookUp(id)) ?? (await this.sessions.lookUpAlternative(id));
    if (session?.contextId !== share.contextId || session.userId !== share.guest.id) return undefined;
    const { cookies, userAgent, headers, remoteAddress } = edge;
    try {
      this.guard.check(session, { cookies, userAgent, headers, remoteAddress });
    } catch (error) {
      if (error instanceof CatalogueError) return undefined;
      throw error;
    }
    return { session, cookies: this.cookiesOf(share, session, edge) };
  }

  /** The token of the share this browser opened last. */
  tokenOf(edge: EdgeRequest): string | undefined {
    return readCookie(edge.cookies, shareCookieNames(edge.userAgent, this.sessions.settings.compatNames));
  }

  private isOver({ expiresAt }: Guest): boolean {
    return expiresAt !== null && expiresAt <= this.clock.now();
  }

  /** What the modules gave to a guest; a module that is away is an error, for it may have given something. */
  private async foldersOf(contextId: number, guestId: number): Promise<SharedFolder[]> {
    const principal = { kind: 'internal', service: 'identity', contextId } as const;
    const granted = await Promise.all(
      folderOwners().map(async ({ module, contract }) => {
        const pairs = await this.caller.call(contract.granted, { principal, query: { entities: [guestId] } });
        return pairs.map(({ folder }) => ({ module, folder }));
      }),
    );
    return granted.flat();
  }

  private async requireContext(contextId: number): Promise<void> {
    const context = await this.database.read({ contextId }, (db) => this.contexts.find(db));
    if (!context?.enabled) throw SessionErrors.contextDisabled(contextId);
  }

  /** A link that was changed or removed while this session was opened has ended the sessions of that moment only. */
  private async confirm({ contextId, guest }: ShownShare, session: Session): Promise<void> {
    const now = await this.database.read({ contextId }, (db) => this.guests.find(db, guest.id));
    if (now?.changedAt === guest.changedAt) return;
    await this.sessions.remove(session.id);
    throw ShareErrors.notFound();
  }

  private clientOf({ contextId, guest }: ShownShare, edge: EdgeRequest, otherwise = '') {
    const client = this.cascade.value(SHARE_CLIENT);
    const userAgent = edge.userAgent || otherwise;
    const hash = cookieHash(
      { userAgent, client, additional: [contextId, guest.id], headers: edge.headers },
      this.sessions.settings,
    );
    return { client, userAgent, agentless: edge.userAgent === '', hash };
  }

  private cookiesOf(share: ShownShare, session: Session, edge: EdgeRequest): CookieChange[] {
    const { settings } = this.sessions;
    const { userAgent } = session;
    return [
      ...loginCookies(session, { userAgent, headers: edge.headers }, settings),
      shareCookie(share.token, session, userAgent, settings),
    ];
  }

  private principalOf(
    { contextId, guest }: ShownShare,
    { language }: ClientParameters,
    edge: EdgeRequest,
  ): PrincipalDraft {
    return {
      kind: 'user',
      contextId,
      userId: guest.id,
      groups: [ALL_GUESTS],
      locale: normalLocale(localeOf(edge, language)) ?? 'en_US',
      timeZone: 'UTC',
      capabilities: CAPABILITIES,
      login: guest.email ?? `guest-${guest.id}`,
      displayName: guest.displayName,
      email: guest.email ?? '',
      guest: true,
    };
  }
}

/** Attempts count per guest, and per text where it names none. */
function limitKey(token: string): string {
  const named = guestOfToken(token);
  return named ? `guest ${named.guestId} of ${named.contextId}` : 'guest';
}
