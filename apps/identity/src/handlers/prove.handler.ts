import {
  authentication,
  CatalogueError,
  LoginErrors,
  SessionErrors,
  type CallOf,
  type Handler,
  type UserProof,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { SESSION_FACTS } from '@groupware/sessions';
import { AppPasswordRepository } from '../app-passwords/app-password.repository';
import { CredentialCheck } from '../login/credential-check';
import { PrincipalBuilder } from '../login/principal-builder';
import type { ProvenUser } from '../login/session-opener';
import { FactorPolicy } from '../multifactor/factor-policy';
import { PropertyRepository } from '../persistence/property.repository';
import { UserRepository } from '../persistence/user.repository';

const REFUSED: UserProof = { accepted: false };

/** Tells who a user without session is. */
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
    private readonly clock: Clock,
  ) {}

  async handle({ query }: CallOf<typeof authentication.prove>): Promise<UserProof> {
    const { login, password, remoteAddress, scopes } = query;
    let user: ProvenUser;
    try {
      user = await this.credentials.prove(login, password, remoteAddress, { remember: true });
    } catch (error) {
      if (isRefusal(error)) return REFUSED;
      throw error;
    }
    const appScopes = user.parameters?.[SESSION_FACTS.appScopes]?.split(' ');
    if (appScopes && !scopes.some((scope) => appScopes.includes(scope))) return REFUSED;
    return this.database.transact(user, async (tx) => {
      const scoped = await this.properties.effective(tx, user.userId);
      // Nobody shows a second factor here: application passwords are for such users.
      const facts = appScopes ? {} : await this.factors.sessionFacts(tx, user.userId, scoped);
      if (facts[SESSION_FACTS.secondFactor] !== undefined) return REFUSED;
      const use = { at: this.clock.now(), address: remoteAddress, device: '' };
      const appPassword = user.parameters?.[SESSION_FACTS.appPassword];
      if (appPassword !== undefined && !(await this.appPasswords.noteUse(tx, appPassword, use))) return REFUSED;
      const draft = this.principals.of(tx.contextId, await this.users.get(tx, user.userId), scoped);
      return { accepted: true, principal: { ...draft, sessionId: '', ...(appScopes ? { appScopes } : {}) } };
    });
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
