import { RequestErrors, RestErrors, type Operation, type Principal } from '@groupware/contracts';
import { BASIC_CHALLENGE, basicCredentials, sameCredentials, type BasicCredentials } from '@groupware/service-kit';
import type { AdministratorCheck, EdgeLog, Throttle, UserCheck } from '../edge/ports';

/** What the check of one REST call needs. */
export interface RestCaller {
  readonly authorization: string | undefined;
  readonly remoteAddress: string;
  /** Context of the path, where the operation has one. */
  readonly contextId: number | undefined;
  readonly deadline: number;
  readonly requestId: string;
}

const COMPLAINT_INTERVAL_MS = 60_000;

/** Who may call the administrative REST API. */
export class RestAccess {
  private readonly complained = new Map<string, number>();

  constructor(
    private readonly pairs: {
      master?: BasicCredentials;
      service?: BasicCredentials;
      /** Whether masters and resellers may act as the administrator of a context. */
      masterOverride?: boolean;
    },
    private readonly administrator: AdministratorCheck,
    private readonly user: UserCheck,
    private readonly failures: Throttle,
    private readonly log: EdgeLog,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Answers the principal of a call.
   * @throws REST-0403 for a reseller who names what is not his, REST-0401, or the operation's own error, with a challenge, SVL-0019 (429) after too many failures from one address
   */
  async principalOf(operation: Operation, caller: RestCaller): Promise<Principal> {
    if (operation.auth === 'none') return { kind: 'anonymous' };
    const credentials = basicCredentials(caller.authorization);
    if (!credentials) throw this.refuse(operation);
    const key = `rest:${caller.remoteAddress}`;
    const wait = await this.failures.waitSeconds(key);
    if (wait > 0) throw RequestErrors.tooManyRequests(wait).with({ headers: { 'Retry-After': String(wait) } });
    const principal = await this.check(operation, credentials, caller);
    if (principal) return principal;
    await this.failures.count(key);
    throw this.refuse(operation);
  }

  private async check(
    operation: Operation,
    credentials: BasicCredentials,
    caller: RestCaller,
  ): Promise<Principal | undefined> {
    if (operation.auth === 'userBasic') return this.user(credentials, { ...caller, scope: operation.appScope });
    if (operation.auth === 'basic' && !this.asMaster(operation, credentials)) {
      const hasService = this.configured('service', 'GROUPWARE_REST_LOGIN, GROUPWARE_REST_PASSWORD');
      if (hasService && sameCredentials(credentials, this.pairs.service!))
        return { kind: 'service', login: credentials.login };
      if (!operation.masterToo) return undefined;
      const found = await this.administrator(credentials, { ...caller, contextAdmin: false });
      return found?.principal.kind === 'master' ? found.principal : undefined;
    }
    const contextAdmin = operation.auth === 'contextAdmin';
    const override = !contextAdmin || (this.pairs.masterOverride ?? true);
    const hasMaster = this.configured('master', 'GROUPWARE_MASTER_LOGIN, GROUPWARE_MASTER_PASSWORD');
    if (hasMaster && override && sameCredentials(credentials, this.pairs.master!))
      return { kind: 'master', login: credentials.login };
    const found = await this.administrator(credentials, { ...caller, contextAdmin });
    if (found?.principal.kind === 'master') return override ? found.principal : undefined;
    if (found?.principal.kind !== 'reseller') return found?.principal;
    if (operation.resellers === 'never' || !override) return undefined;
    // Known, but not in charge: the operation is none of his, or the context of the path belongs to somebody else.
    if (!found.isResponsible || (!contextAdmin && operation.resellers !== 'own')) throw RestErrors.forbidden();
    return found.principal;
  }

  private asMaster({ masterToo = false }: Operation, credentials: BasicCredentials): boolean {
    const { master } = this.pairs;
    return masterToo && !!master?.password && sameCredentials(credentials, master);
  }

  private configured(pair: 'master' | 'service', settings: string): boolean {
    if (this.pairs[pair]?.password) return true;
    const now = this.now();
    if (now - (this.complained.get(pair) ?? -Infinity) >= COMPLAINT_INTERVAL_MS) {
      this.complained.set(pair, now);
      this.log.error({ settings }, 'credentials are not configured: every such call is refused');
    }
    return false;
  }

  private refuse({ unauthorized = RestErrors.unauthorized }: Operation) {
    return unauthorized().with({ headers: { 'WWW-Authenticate': BASIC_CHALLENGE } });
  }
}
