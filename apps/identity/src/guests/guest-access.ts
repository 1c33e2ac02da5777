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
  SHARE_EMPTY_PASSWORDS,
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
import { checkPassword } from '../domain/password-policy';
import { PasswordRules } from '../login/password-rules';
import { Passwords } from '../domain/passwords';
import { normalLocale } from '../domain/locale';
import { Cascade } from '../login/cascade';
import { NO_CONTEXT } from '../login/credential-check';
import { LoginLimits } from '../login/login-limits';
import { localeOf } from '../login/refusal';
import { PropertyRepository } from '../persistence/property.repository';
import { ContextRepository } from '../persistence/context.repository';
import type { OpenedSession } from '../login/login-flow';
import type { PrincipalDraft } from '../login/principal-builder';
import { GuestRepository, type Guest } from './guest.repository';
import { GuestVault } from './guest-vault';

/** What a named guest shows. */
export interface GuestProof {
  /** The mail address; not looked at when absent. */
  readonly name?: string;
  readonly password?: string;
}

/** A folder that a guest may see. */
export interface SharedFolder {
  readonly module: string;
  readonly folder: number;
}

/** A guest whose token was right. */
export interface NamedGuest {
  readonly contextId: number;
  readonly guest: Guest;
  readonly token: string;
}

/** The same with what the guest was given. */
export interface ShownShare extends NamedGuest {
  readonly folders: readonly SharedFolder[];
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
    private readonly properties: PropertyRepository,
    private readonly vault: GuestVault,
    private readonly passwords: Passwords,
    private readonly rules: PasswordRules,
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
    const named = await this.named(token);
    return named && this.withFolders(named);
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
    const { share } = await this.proven(token, (guest) => guest.email === null, { password: pin }, edge);
    return this.open(share, parameters, edge);
  }

  /**
   * Opens the session of a named guest. One who has no password chooses it here, or comes without as long as that is allowed.
   * @throws SHR-0002, LGI-0022, LGI-0023, LGI-0025, LGI-0028, SVL-0019, SES-0204, and USR-0015 to USR-0026 for a password
   * that must not be chosen
   */
  async byPassword(
    token: string,
    proof: GuestProof,
    parameters: ClientParameters,
    edge: EdgeRequest,
  ): Promise<OpenedSession> {
    const { share, isFree } = await this.proven(token, (guest) => guest.email !== null, proof, edge);
    if (!isFree) return this.open(share, parameters, edge);
    const { password } = proof;
    return this.open(password ? await this.withPassword(share, password) : await this.without(share), parameters, edge);
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
  async resumed(share: NamedGuest, edge: EdgeRequest): Promise<OpenedSession | undefined> {
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

  /** The live session of the guest whose token is given, or in the cookie of the share that this browser opened last. */
  async returning(token: string | undefined, edge: EdgeRequest): Promise<OpenedSession | undefined> {
    const { compatNames } = this.sessions.settings;
    const wanted = token ?? readCookie(edge.cookies, shareCookieNames(edge.userAgent, compatNames));
    const named = wanted === undefined ? undefined : await this.named(wanted);
    return named && this.resumed(named, edge);
  }

  /**
   * The share of a guest of a kind who has shown what is needed; `isFree` when nothing is set that could be shown.
   * @throws SHR-0002, LGI-0025, LGI-0028
   */
  private async proven(
    token: string,
    isOfKind: (guest: Guest) => boolean,
    { name, password }: GuestProof,
    { remoteAddress }: EdgeRequest,
  ): Promise<{ share: ShownShare; isFree: boolean }> {
    const account = accountOfGuest(token);
    const attempted = { account, address: remoteAddress };
    const found = await this.named(token);
    const named = found && isOfKind(found.guest) ? found : undefined;
    const stored = named?.guest.passwordHash ?? undefined;
    const isNamed = !name || name.trim().toLowerCase() === named?.guest.email;
    const isFree = named !== undefined && stored === undefined && isNamed;
    const shown = await this.limits.attempt(attempted, account, async () => {
      const { correct } = isFree ? { correct: true } : await this.passwords.check(password ?? '', stored);
      return correct && isNamed ? named : undefined;
    });
    if (!named) throw ShareErrors.notFound();
    if (!shown) throw LoginErrors.guestPasswordWrong();
    // Last, for it takes its time: refusals before it take equally long, whatever there is.
    const share = await this.withFolders(named);
    if (!share) throw ShareErrors.notFound();
    if (!isFree) await this.limits.remember(attempted);
    return { share, isFree };
  }

  /** The guest of a token, whatever there is to see; undefined for an unknown or expired one. */
  private async named(token: string): Promise<NamedGuest | undefined> {
    // The same question for what is no token at all: the time tells nothing.
    const { contextId, guestId } = guestOfToken(token) ?? { contextId: NO_CONTEXT, guestId: 0 };
    const guest = await this.database.read({ contextId }, (db) => this.guests.find(db, guestId));
    if (!guest || !this.vault.isTokenOf(contextId, guest, token) || this.isOver(guest)) return undefined;
    return { contextId, guest, token: token.toLowerCase() };
  }

  private async withFolders(named: NamedGuest): Promise<ShownShare | undefined> {
    const folders = await this.foldersOf(named.contextId, named.guest.id);
    return folders.length > 0 ? { ...named, folders } : undefined;
  }

  /** The same share after its guest chose a password; sessions that were opened without end. */
  private async withPassword(share: ShownShare, password: string): Promise<ShownShare> {
    const { contextId, guest } = share;
    const scoped = await this.database.read({ contextId }, (db) => this.properties.effective(db, 0));
    checkPassword(password, this.rules.policy(scoped));
    const hash = await this.passwords.hash(password);
    const changed = await this.database.transact({ contextId }, (tx) =>
      this.guests.choosePassword(tx, guest.id, hash, this.clock.now()),
    );
    // Somebody else chose one meanwhile, and it is not known to be this one.
    if (!changed) throw LoginErrors.guestPasswordWrong();
    await this.sessions.removeByUser(contextId, guest.id);
    return { ...share, guest: changed };
  }

  /** Counts a login without password. @throws LGI-0023 when there must be one, LGI-0022 after too many without */
  private async without(share: ShownShare): Promise<ShownShare> {
    const { contextId, guest } = share;
    await this.database.transact({ contextId }, async (tx) => {
      const limit = this.cascade.value(SHARE_EMPTY_PASSWORDS, await this.properties.effective(tx, guest.createdBy));
      if (limit === 0) throw LoginErrors.guestPasswordNeeded();
      if (!(await this.guests.countBareLogin(tx, guest.id, limit))) throw LoginErrors.tooManyLoginsWithoutPassword();
    });
    return share;
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

  private clientOf({ contextId, guest }: NamedGuest, edge: EdgeRequest, otherwise = '') {
    const client = this.cascade.value(SHARE_CLIENT);
    const userAgent = edge.userAgent || otherwise;
    const hash = cookieHash(
      { userAgent, client, additional: [contextId, guest.id], headers: edge.headers },
      this.sessions.settings,
    );
    return { client, userAgent, agentless: edge.userAgent === '', hash };
  }

  private cookiesOf(share: NamedGuest, session: Session, edge: EdgeRequest): CookieChange[] {
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
function accountOfGuest(token: string): string {
  const named = guestOfToken(token);
  return named ? `guest ${named.guestId} of ${named.contextId}` : 'guest';
}
