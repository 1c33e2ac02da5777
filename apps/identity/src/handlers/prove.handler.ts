import {
  authentication,
  CatalogueError,
  LoginErrors,
  SessionErrors,
  type CallOf,
  type Handler,
  type MissingFactor,
  type UserProof,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { SESSION_FACTS } from '@groupware/sessions';
import { AppPasswordRepository } from '../app-passwords/app-password.repository';
import { CredentialCheck } from '../authentication/credential-check';
import { PrincipalBuilder } from '../directory/principal-builder';
import type { AuthenticatedUser } from '../authentication/session-opener';
import { FactorPolicy } from '../multifactor/factor-policy';
import { SecondFactors } from '../multifactor/second-factors';
import { PropertyRepository } from '../configuration/property.repository';
import { UserRepository } from '../persistence/user.repository';

const REFUSED: UserProof = { accepted: false };

/** Authenticates a user without session. */
@Handles(authentication.prove)
export class ProveHandler implements Handler<typeof authentication.prove> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly credentials: CredentialCheck,
    private readonly users: UserRepository,
    private readonly properties: PropertyRepository,
    private readonly principals: PrincipalBuilder,
    private readonly factors: FactorPolicy,
    private readonly appPasswords: AppPasswordRepository,
    private readonly secondFactors: SecondFactors,
    private readonly clock: Clock,
  ) {}

  async handle({ query }: CallOf<typeof authentication.prove>): Promise<UserProof> {
    const { login, password, remoteAddress, scopes } = query;
    let user: AuthenticatedUser;
    try {
      user = await this.credentials.authenticate(login, password, remoteAddress, { remember: true });
    } catch (error) {
      if (isRefusal(error)) return REFUSED;
      throw error;
    }
    const appScopes = user.parameters?.[SESSION_FACTS.appScopes]?.split(' ');
    if (appScopes && !scopes.some((scope) => appScopes.includes(scope))) return REFUSED;
    const proof = await this.database.transact<UserProof | undefined>(user, async (tx) => {
      const scoped = await this.properties.getEffective(tx, user.userId);
      // No second factor is possible here: such users need application passwords, or show it by `proveFactor`.
      const facts = appScopes ? {} : await this.factors.resolveSessionFacts(tx, user.userId, scoped);
      if (facts[SESSION_FACTS.secondFactor] !== undefined) return undefined;
      const use = { at: this.clock.now(), address: remoteAddress, device: '' };
      const appPassword = user.parameters?.[SESSION_FACTS.appPassword];
      if (appPassword !== undefined && !(await this.appPasswords.recordUse(tx, appPassword, use))) return REFUSED;
      const draft = this.principals.toPrincipal(tx.contextId, await this.users.get(tx, user.userId), scoped);
      return { accepted: true, principal: { ...draft, sessionId: '', ...(appScopes ? { appScopes } : {}) } };
    });
    return proof ?? { ...REFUSED, missingFactor: await this.describeFactor(user) };
  }

  private async describeFactor({ contextId, userId }: AuthenticatedUser): Promise<MissingFactor> {
    const devices = await this.secondFactors.listCodeDevices({ contextId, userId });
    return { contextId, userId, takesCode: devices.length > 0 };
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof CatalogueError &&
  [
    LoginErrors.invalidCredentials,
    LoginErrors.passwordExpired,
    LoginErrors.notActivated,
    SessionErrors.contextDisabled,
  ].some((each) => error.is(each));
