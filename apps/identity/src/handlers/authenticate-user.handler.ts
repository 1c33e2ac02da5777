import {
  authentication,
  CatalogueError,
  LoginErrors,
  RequestErrors,
  SessionErrors,
  type CallOf,
  type Handler,
  type UserCheck,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { SESSION_FACTS } from '@groupware/sessions';
import { CredentialCheck } from '../login/credential-check';
import { PrincipalBuilder } from '../login/principal-builder';
import { UserRepository } from '../persistence/user.repository';

const REFUSALS = [LoginErrors.invalidCredentials, LoginErrors.notActivated, SessionErrors.contextDisabled];
/** How long to wait where only the name is known to be locked, seconds. */
const LOCKED_SECONDS = 60;

/** Tells whose credentials these are, for calls without a session. */
@Handles(authentication.user)
export class AuthenticateUserHandler implements Handler<typeof authentication.user> {
  constructor(
    private readonly credentials: CredentialCheck,
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly principals: PrincipalBuilder,
  ) {}

  async handle({ query }: CallOf<typeof authentication.user>): Promise<UserCheck> {
    try {
      const proven = await this.credentials.prove(query.login, query.password, query.remoteAddress);
      const { contextId, userId } = proven;
      const { capabilities } = await this.database.read({ contextId }, async (db) =>
        this.principals.build(db, await this.users.get(db, userId)),
      );
      const scopes = proven.parameters?.[SESSION_FACTS.appScopes];
      return { accepted: true, contextId, userId, capabilities, ...(scopes ? { appScopes: scopes.split(' ') } : {}) };
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      if (REFUSALS.some((refusal) => error.is(refusal))) return { accepted: false };
      if (error.is(LoginErrors.tooManyAttempts))
        throw RequestErrors.tooManyRequests(LOCKED_SECONDS).with({
          headers: { 'Retry-After': String(LOCKED_SECONDS) },
        });
      throw error;
    }
  }
}
