import {
  APP_SCOPES,
  isCatalogueError,
  opensToApp,
  RequestErrors,
  RestErrors,
  type AdminCaller,
  type Operation,
  type Principal,
  type UserPrincipal,
} from '@groupware/contracts';
import {
  clientNetwork,
  BASIC_CHALLENGE,
  basicCredentials,
  sameCredentials,
  type BasicCredentials,
} from '@groupware/service-kit';
import type { AdministratorCheck, CredentialAttempts, EdgeLog, UserCheck } from '../edge/ports';

/** Facts that the check of one REST call needs. */
export interface RestCaller {
  readonly authorization: string | undefined;
  readonly remoteAddress: string;
  /** Context that the path was parsed into; absent when it names none or a malformed one. */
  readonly contextId: number | undefined;
  readonly deadline: number;
  readonly requestId: string;
}

/** Whether the attempt counted is not known, but the call of the client was not begun. */
function refuseUnchecked(error: unknown): never {
  const isUnknown = isCatalogueError(error, RequestErrors.outcomeUnknown);
  throw isUnknown ? RequestErrors.serviceUnavailable(error.params[0] ?? '').with({ cause: error }) : error;
}

const COMPLAINT_INTERVAL_MS = 60_000;
const SETTINGS = {
  master: 'GROUPWARE_MASTER_LOGIN, GROUPWARE_MASTER_PASSWORD',
  service: 'GROUPWARE_REST_LOGIN, GROUPWARE_REST_PASSWORD or com.example.rest.services.basic-auth.login, .password',
} as const;

const PAIRS = ['master', 'service'] as const;
type Pair = (typeof PAIRS)[number];

/** Check of who may call the administrative REST API. */
export class RestAccess {
  private readonly complained = new Map<string, number>();

  constructor(
    private readonly pairs: {
      readonly master?: BasicCredentials;
      /** Read at each call: it may change while the process runs. */
      readonly service?: BasicCredentials;
      /** Whether masters and resellers may act as the administrator of a context. */
      readonly masterOverride?: boolean;
    },
    private readonly administrator: AdministratorCheck,
    private readonly user: UserCheck,
    private readonly attempts: CredentialAttempts,
    private readonly log: EdgeLog,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Answers the principal of a call.
   * @throws REST-0403 for a reseller who names what is not his, REST-0401, or the operation's own error, with a challenge, SVL-0019 (429) after too many failures
   * from one address at one context, at the master or at the service
   */
  async principalOf(operation: Operation, caller: RestCaller): Promise<Principal> {
    if (operation.auth === 'none') return { kind: 'anonymous' };
    const credentials = basicCredentials(caller.authorization);
    if (!credentials) throw this.refuse(operation);
    const address = clientNetwork(caller.remoteAddress);
    const target = `${address}\n${this.findPair(credentials) ?? caller.contextId ?? ''}`;
    const { found } = await this.attempts.attempt({ target, address }, () =>
      this.check(operation, credentials, caller).catch(refuseUnchecked),
    );
    if (found) return found;
    throw this.refuse(operation);
  }

  private async check(
    operation: Operation,
    credentials: BasicCredentials,
    caller: RestCaller,
  ): Promise<Principal | undefined> {
    if (operation.auth === 'userBasic') return this.asUser(operation, credentials, caller);
    const callers: ReadonlySet<string> = new Set(operation.callers);
    const contextAdmin = callers.has('contextAdmin');
    const override = !contextAdmin || (this.pairs.masterOverride ?? true);
    const may = (kind: AdminCaller) => callers.has(kind) && (override || kind === 'contextAdmin');
    if (may('master') && this.isPair('master', credentials)) return { kind: 'master', login: credentials.login };
    if (may('service') && this.isPair('service', credentials)) return { kind: 'service', login: credentials.login };
    if (operation.callers?.every((kind) => kind === 'service')) return undefined;

    const found = await this.administrator(credentials, { ...caller, contextAdmin });
    switch (found?.principal.kind) {
      case 'master':
        return may('master') ? found.principal : undefined;
      case 'context-admin':
        return contextAdmin && found.isResponsible ? found.principal : undefined;
      case 'reseller':
        if (may('reseller') || (may('resellerOfContext') && found.isResponsible)) return found.principal;
        if (!override || operation.hidesFromResellers) return undefined;
        // Known, but not in charge: the operation is none of his, or the context of the path belongs to another reseller.
        throw RestErrors.forbidden();
      default:
        return undefined;
    }
  }

  /** An application password that is not good for the operation is a wrong one. */
  private async asUser(
    operation: Operation,
    credentials: BasicCredentials,
    caller: RestCaller,
  ): Promise<UserPrincipal | undefined> {
    const { appScopes = [] } = operation;
    const principal = await this.user(credentials, { ...caller, scopes: appScopes === 'any' ? APP_SCOPES : appScopes });
    return principal?.appScopes && !opensToApp(operation, principal.appScopes) ? undefined : principal;
  }

  /** The pair whose login was given: guesses at its password count together, whatever context they name. */
  private findPair({ login }: BasicCredentials): Pair | undefined {
    return PAIRS.find((pair) => {
      const known = this.pairs[pair]?.login;
      return known && sameCredentials({ login, password: '' }, { login: known, password: '' });
    });
  }

  private isPair(pair: Pair, credentials: BasicCredentials): boolean {
    const known = this.pairs[pair];
    if (known?.login && known.password) return sameCredentials(credentials, known);
    this.complain(pair);
    return false;
  }

  private complain(pair: Pair): void {
    const now = this.now();
    if (now - (this.complained.get(pair) ?? -Infinity) < COMPLAINT_INTERVAL_MS) return;
    this.complained.set(pair, now);
    this.log.error({ settings: SETTINGS[pair] }, 'credentials are not configured: every such call is refused');
  }

  private refuse({ unauthorized = RestErrors.unauthorized }: Operation) {
    return unauthorized().with({ headers: { 'WWW-Authenticate': BASIC_CHALLENGE } });
  }
}
