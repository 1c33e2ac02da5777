import { Injectable } from '@nestjs/common';
import {
  ALL_GUESTS,
  CatalogueError,
  isCatalogueError,
  guestOfToken,
  listGuestCapabilities,
  LoginErrors,
  SessionErrors,
  ShareErrors,
  SHARE_CLIENT,
  SHARE_EMPTY_PASSWORDS,
  SHARE_TRANSIENT_SESSIONS,
  sharePath,
  type ClientParameters,
  type CookieChange,
  type EdgeRequest,
  type GuestLoginQuery,
  normalizeLocale,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import {
  computeCookieHash,
  createLoginCookies,
  findCookie,
  SESSION_FACTS,
  SessionGuard,
  sessionCookieNames,
  SessionStore,
  createShareCookie,
  shareCookieNames,
  type Session,
} from '@groupware/sessions';
import { Passwords } from '../domain/passwords';
import { Cascade } from '../configuration/cascade';
import { NO_CONTEXT } from '../authentication/credential-check';
import { LoginLimits } from '../attempts/login-limits';
import { resolveLocale } from '../authentication/error-reply';
import { PropertyRepository } from '../configuration/property.repository';
import { ContextRepository } from '../persistence/context.repository';
import type { OpenedSession } from '../authentication/login-flow';
import type { PrincipalDraft } from '../directory/principal-builder';
import { GuestRepository, type Guest } from '../persistence/guest.repository';
import { GuestFolders, type SharedFolder } from './guest-folders';
import { GuestPasswords } from './guest-passwords';
import { GuestVault } from './guest-vault';

/** Credentials of a named guest. */
export interface GuestCredentials {
  /** The mail address; not checked when absent. */
  readonly name?: string;
  readonly password?: string;
  /** Token of a mail for a guest who forgot the password: `password` is the new one. */
  readonly confirm?: string;
}

/** A session of a guest, and the folder that is opened with it. */
export interface OpenedShare extends OpenedSession {
  readonly place: SharedFolder;
}

/** A guest found by token. */
export interface ResolvedGuest {
  readonly contextId: number;
  readonly guest: Guest;
  readonly token: string;
}

/** A guest with the folders shared with him. */
export interface ResolvedShare extends ResolvedGuest {
  readonly folders: readonly SharedFolder[];
}

/** Logs guests in by the token of a share, and its pin where it has one. */
@Injectable()
export class GuestAccess {
  private readonly log = Logger.for('identity.login');
  private readonly guard: SessionGuard;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly guests: GuestRepository,
    private readonly contexts: ContextRepository,
    private readonly properties: PropertyRepository,
    private readonly vault: GuestVault,
    private readonly passwords: Passwords,
    private readonly guestPasswords: GuestPasswords,
    private readonly limits: LoginLimits,
    private readonly cascade: Cascade,
    private readonly sessions: SessionStore,
    private readonly folders: GuestFolders,
    private readonly clock: Clock,
  ) {
    this.guard = new SessionGuard(sessions);
  }

  /**
   * Finds the share of a token; undefined for an unknown or expired one, when nothing is shared any more, and while the context is
   * disabled.
   */
  async findShare(token: string): Promise<ResolvedShare | undefined> {
    const named = await this.findGuest(token);
    return named && (await this.isEnabled(named.contextId)) ? this.addFolders(named) : undefined;
  }

  /**
   * Opens the session of an anonymous guest. Unknown tokens take as long as wrong pins.
   * @throws SHR-0002, LGI-0025, LGI-0028, SVL-0019, SES-0204
   */
  async loginByPin(
    token: string,
    pin: string | undefined,
    parameters: GuestLoginQuery,
    edge: EdgeRequest,
  ): Promise<OpenedShare> {
    const isOfKind = (guest: Guest): boolean => guest.email === null;
    const { share } = await this.authenticate(token, isOfKind, { password: pin }, edge, UNNAMED);
    return this.openShare(share, parameters, edge);
  }

  /**
   * Opens the session of a named guest. A guest without password chooses one here, or logs in without while that is
   * allowed; who forgot it chooses another one by the token of a mail.
   * @throws SHR-0002, LGI-0022, LGI-0023, LGI-0025, LGI-0028, SVL-0019, SES-0204, and USR-0015 to USR-0026 for a
   * password that must not be chosen
   */
  async loginByPassword(
    token: string,
    proof: GuestCredentials,
    parameters: GuestLoginQuery,
    edge: EdgeRequest,
  ): Promise<OpenedShare> {
    const isOfKind = (guest: Guest): boolean => guest.email !== null;
    const shown = proof.name?.trim() || UNNAMED;
    const { share, isFree } = await this.authenticate(token, isOfKind, proof, edge, shown);
    const { password, confirm } = proof;
    if (!isFree && confirm === undefined) return this.openShare(share, parameters, edge);
    if (!isFree && !password) throw LoginErrors.guestPasswordNeeded();
    return this.openShare(
      password ? await this.choosePassword(share, password) : await this.countPasswordlessLogin(share),
      parameters,
      edge,
    );
  }

  /**
   * Authenticates a guest for a single answer without a session, by what a link asks for; undefined for a wrong password.
   * @throws SHR-0002, SVL-0019
   */
  async authenticateOnce(share: ResolvedShare, edge: EdgeRequest): Promise<ResolvedShare | undefined> {
    const { guest, token } = share;
    if (guest.passwordHash === null) return share;
    if (!edge.credentials) return undefined;
    const { login, password } = edge.credentials;
    // Anonymous guests have no name: whatever a browser sends as one does not count.
    const proof = guest.email === null ? { password } : { name: login, password };
    try {
      return (await this.authenticate(token, ({ id }) => id === guest.id, proof, edge)).share;
    } catch (error) {
      if (isCatalogueError(error, LoginErrors.guestPasswordWrong)) return undefined;
      throw error;
    }
  }

  private async openShare(share: ResolvedShare, parameters: GuestLoginQuery, edge: EdgeRequest): Promise<OpenedShare> {
    const opened = await this.openSession(share, parameters, edge);
    return { ...opened, place: findPlace(share, parameters.target) };
  }

  /** Opens a session for an authenticated guest. @throws SES-0204, SHR-0002 when the share was removed meanwhile */
  async openSession(share: ResolvedShare, parameters: ClientParameters, edge: EdgeRequest): Promise<OpenedSession> {
    const { contextId, guest } = share;
    await this.requireContext(contextId);
    const principal = this.createPrincipal(share, parameters, edge);
    const session = await this.sessions.createSession({
      contextId,
      userId: guest.id,
      login: principal.login,
      version: parameters.version ?? '',
      ip: edge.remoteAddress,
      staySignedIn: !this.cascade.value(SHARE_TRANSIENT_SESSIONS),
      guest: true,
      principal,
      ...this.toLoginClient(share, edge, parameters.clientUserAgent),
      ...(parameters.authId ? { authId: parameters.authId } : {}),
      parameters: guest.expiresAt === null ? {} : { [SESSION_FACTS.validUntil]: String(guest.expiresAt) },
    });
    await this.requireUnchanged(share, session);
    this.log.info({ contextId, userId: guest.id }, 'session of a guest opened');
    return { session, cookies: this.createCookies(share, session, edge) };
  }

  /** Finds the live session of an earlier visit by the same browser, and opens it to the modules of what was shared since. */
  async resumeSession(share: ResolvedShare, edge: EdgeRequest): Promise<OpenedSession | undefined> {
    const found = await this.findSessionOfBrowser(share, edge);
    if (found) await this.sessions.setCapabilities(found.session.id, toCapabilities(share));
    return found;
  }

  private async findSessionOfBrowser(share: ResolvedGuest, edge: EdgeRequest): Promise<OpenedSession | undefined> {
    const { hash } = this.toLoginClient(share, edge);
    const id = findCookie(edge.cookies, sessionCookieNames(hash, this.sessions.settings.compatNames));
    if (id === undefined) return undefined;
    const session = (await this.sessions.lookUp(id)) ?? (await this.sessions.lookUpAlternative(id));
    if (session?.contextId !== share.contextId || session.userId !== share.guest.id) return undefined;
    const { cookies, userAgent, headers, remoteAddress } = edge;
    try {
      this.guard.requireValid(session, { cookies, userAgent, headers, remoteAddress });
    } catch (error) {
      if (error instanceof CatalogueError) return undefined;
      throw error;
    }
    return { session, cookies: this.createCookies(share, session, edge) };
  }

  /** Finds the live session of the guest of a token, or of the share this browser opened last. */
  async findReturningSession(token: string | undefined, edge: EdgeRequest): Promise<OpenedSession | undefined> {
    const { compatNames } = this.sessions.settings;
    const wanted = token ?? findCookie(edge.cookies, shareCookieNames(edge.userAgent, compatNames));
    const named = wanted === undefined ? undefined : await this.findGuest(wanted);
    return named && this.findSessionOfBrowser(named, edge);
  }

  /**
   * Authenticates a guest of a kind; `isFree` when the guest has neither pin nor password.
   * @param shown names the guest in LGI-0028; undefined: SVL-0019 instead
   * @throws SHR-0002, LGI-0025, LGI-0028, SVL-0019
   */
  private async authenticate(
    token: string,
    isOfKind: (guest: Guest) => boolean,
    { name, password, confirm }: GuestCredentials,
    { remoteAddress }: EdgeRequest,
    shown?: string,
  ): Promise<{ share: ResolvedShare; isFree: boolean }> {
    const account = toAttemptAccount(token);
    const attempted = { account, address: remoteAddress };
    const found = await this.findGuest(token);
    const named = found && isOfKind(found.guest) ? found : undefined;
    const stored = named?.guest.passwordHash ?? undefined;
    const isNamed = name === undefined || name.trim().toLowerCase() === named?.guest.email;
    const isFree = named !== undefined && stored === undefined && isNamed;
    const known = await this.limits.attempt(attempted, shown, async () => {
      const correct =
        isFree ||
        (confirm === undefined
          ? (await this.passwords.check(password ?? '', stored)).correct
          : named !== undefined && this.vault.isResetOf(named.contextId, named.guest, confirm, this.clock.now()));
      return correct && isNamed ? named : undefined;
    });
    if (!named) throw ShareErrors.notFound();
    if (!known) throw LoginErrors.guestPasswordWrong();
    // Last, for its duration depends on data: refusals before it take equally long.
    const share = await this.addFolders(named);
    if (!share) throw ShareErrors.notFound();
    if (!isFree) await this.limits.rememberAddress(attempted);
    return { share, isFree };
  }

  /** Finds the guest of a token; undefined for an unknown or expired one. */
  private async findGuest(token: string): Promise<ResolvedGuest | undefined> {
    // The same query for malformed tokens, so that timing reveals nothing.
    const { contextId, guestId } = guestOfToken(token) ?? { contextId: NO_CONTEXT, guestId: 0 };
    const guest = await this.database.read({ contextId }, (db) => this.guests.findById(db, guestId));
    if (!guest || !this.vault.isTokenOf(contextId, guest, token) || this.isExpired(guest)) return undefined;
    return { contextId, guest, token };
  }

  private async addFolders(named: ResolvedGuest): Promise<ResolvedShare | undefined> {
    const folders = await this.folders.listFolders(named.contextId, named.guest.id);
    return folders.length > 0 ? { ...named, folders } : undefined;
  }

  /** Stores a guest's first password and ends the sessions opened without one. */
  private async choosePassword(share: ResolvedShare, password: string): Promise<ResolvedShare> {
    const { contextId, guest } = share;
    const scoped = await this.database.read({ contextId }, (db) => this.properties.getEffective(db, 0));
    const changed = await this.guestPasswords.setPassword(contextId, guest, password, scoped);
    // Another password was set concurrently.
    if (!changed) throw LoginErrors.guestPasswordWrong();
    await this.sessions.removeByUser(contextId, guest.id);
    return { ...share, guest: changed };
  }

  /** Counts a login without password. @throws LGI-0023 when there must be one, LGI-0022 after too many without */
  private async countPasswordlessLogin(share: ResolvedShare): Promise<ResolvedShare> {
    const { contextId, guest } = share;
    await this.database.transact({ contextId }, async (tx) => {
      const limit = this.cascade.value(SHARE_EMPTY_PASSWORDS, await this.properties.getEffective(tx, guest.createdBy));
      if (limit === 0) throw LoginErrors.guestPasswordNeeded();
      if (!(await this.guests.incrementBareLogins(tx, guest.id, limit)))
        throw LoginErrors.tooManyLoginsWithoutPassword();
    });
    return share;
  }

  private isExpired({ expiresAt }: Guest): boolean {
    return expiresAt !== null && expiresAt <= this.clock.now();
  }

  private async isEnabled(contextId: number): Promise<boolean> {
    const context = await this.database.read({ contextId }, (db) => this.contexts.findCurrent(db));
    return context?.enabled === true;
  }

  private async requireContext(contextId: number): Promise<void> {
    if (!(await this.isEnabled(contextId))) throw SessionErrors.contextDisabled(contextId);
  }

  /** Checks again after opening: a concurrent change of the link ended only the sessions of that moment. */
  private async requireUnchanged({ contextId, guest }: ResolvedShare, session: Session): Promise<void> {
    const now = await this.database.read({ contextId }, (db) => this.guests.findById(db, guest.id));
    if (now?.changedAt === guest.changedAt) return;
    await this.sessions.removeSession(session.id);
    throw ShareErrors.notFound();
  }

  private toLoginClient({ contextId, guest }: ResolvedGuest, edge: EdgeRequest, otherwise = '') {
    const client = this.cascade.value(SHARE_CLIENT);
    const userAgent = edge.userAgent || otherwise;
    const hash = computeCookieHash(
      { userAgent, client, additional: [contextId, guest.id], headers: edge.headers },
      this.sessions.settings,
    );
    return { client, userAgent, agentless: edge.userAgent === '', hash };
  }

  private createCookies(share: ResolvedGuest, session: Session, edge: EdgeRequest): CookieChange[] {
    const { settings } = this.sessions;
    const { userAgent } = session;
    return [
      ...createLoginCookies(session, { userAgent, headers: edge.headers }, settings),
      createShareCookie(share.token, session, userAgent, settings),
    ];
  }

  private createPrincipal(
    share: ResolvedShare,
    { language, locale }: ClientParameters,
    edge: EdgeRequest,
  ): PrincipalDraft {
    const { contextId, guest } = share;
    return {
      kind: 'user',
      contextId,
      userId: guest.id,
      groups: [ALL_GUESTS],
      locale: normalizeLocale(resolveLocale(edge, language || locale)) ?? 'en_US',
      timeZone: 'UTC',
      capabilities: toCapabilities(share),
      login: guest.email ?? `guest-${guest.id}`,
      displayName: guest.displayName,
      email: guest.email ?? '',
      guest: true,
    };
  }
}

/** The folder or object of a share that the path of a link names, else the first. */
export const findPlace = ({ folders }: ResolvedShare, path: string | undefined): SharedFolder =>
  folders.find((place) => sharePath(place) === path) ?? folders[0]!;

const toCapabilities = ({ guest, folders }: ResolvedShare): string[] =>
  listGuestCapabilities(
    guest.email === null ? 'anonymous' : 'named',
    folders.map(({ module }) => module),
  );

/** A guest without a name, to those who try to be one. */
const UNNAMED = 'guest';

/** The account that attempts count for: the guest, or the token text where it matches none. */
function toAttemptAccount(token: string): string {
  const named = guestOfToken(token);
  return named ? `guest ${named.guestId} of ${named.contextId}` : 'guest';
}
