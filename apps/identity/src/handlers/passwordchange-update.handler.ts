import {
  DirectoryErrors,
  PASSWORD_CHANGE_CLOSES,
  passwordchange,
  RequestErrors,
  type CallOf,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { SESSION_FACTS, SessionStore, signOnOf } from '@groupware/sessions';
import { Passwords } from '../domain/passwords';
import { toAccountKey } from '../attempts/account-attempts';
import { Cascade } from '../configuration/cascade';
import { LoginLimits } from '../attempts/login-limits';
import { OwnPasswords } from '../provisioning/own-passwords';
import { PropertyRepository } from '../configuration/property.repository';
import { UserRepository } from '../persistence/user.repository';
import { SessionCloser } from '../sessions/session-closer';

/** Changes the password of the user. */
@Handles(passwordchange.update)
export class PasswordChangeHandler implements Handler<typeof passwordchange.update> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly properties: PropertyRepository,
    private readonly passwords: Passwords,
    private readonly limits: LoginLimits,
    private readonly cascade: Cascade,
    private readonly ownPasswords: OwnPasswords,
    private readonly sessions: SessionStore,
    private readonly closer: SessionCloser,
  ) {}

  async handle({ principal, body, edge }: CallOf<typeof passwordchange.update>) {
    const { contextId, userId, sessionId } = principal;
    const session = await this.sessions.peek(sessionId);
    // Its password is the business of the identity provider.
    if (session && signOnOf(session)) throw RequestErrors.noModulePermission('passwordchange');
    if (!body.old_password) throw DirectoryErrors.passwordMissing();
    if (!body.new_password) throw DirectoryErrors.newPasswordMissing();
    const { candidate, scoped } = await this.database.read(principal, async (db) => {
      const user = await this.users.get(db, userId);
      return {
        candidate: await this.users.findLoginCandidate(db, user.name),
        scoped: await this.properties.getEffective(db, userId),
      };
    });
    await this.requireOldPassword(principal, body.old_password, candidate?.hash, edge!.remoteAddress);
    await this.ownPasswords.changePassword({
      ...{ contextId, userId, scoped, login: principal.login, password: body.new_password },
      ...{ client: session?.client ?? '', address: edge!.remoteAddress },
    });
    // Sessions of application passwords keep their facts.
    if (session?.password !== undefined && session.parameters[SESSION_FACTS.appPassword] === undefined)
      await this.sessions.setPassword(sessionId, body.new_password);
    if (this.cascade.value(PASSWORD_CHANGE_CLOSES, scoped)) await this.closer.closeByUser(contextId, userId, sessionId);
    return undefined;
  }

  /** Requires the current password, with the attempt limits of the login. */
  private async requireOldPassword(
    { contextId, userId, login }: UserPrincipal,
    password: string,
    hash: string | null | undefined,
    address: string,
  ): Promise<void> {
    const attempted = { account: `password of ${toAccountKey(contextId, userId)}`, address };
    const isRight = await this.limits.attempt(attempted, login, async () => {
      const { correct } = await this.passwords.check(password, hash ?? undefined);
      return correct || undefined;
    });
    if (!isRight) throw DirectoryErrors.wrongPassword();
  }
}
