import {
  DirectoryErrors,
  PASSWORD_CHANGE_CLOSES,
  passwordchange,
  type CallOf,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { SESSION_FACTS, SessionStore } from '@groupware/sessions';
import { Passwords } from '../domain/passwords';
import { accountOf } from '../login/account-attempts';
import { Cascade } from '../login/cascade';
import { LoginLimits } from '../login/login-limits';
import { OwnPasswords } from '../login/own-passwords';
import { PropertyRepository } from '../persistence/property.repository';
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
    if (!body.old_password) throw DirectoryErrors.passwordMissing();
    if (!body.new_password) throw DirectoryErrors.newPasswordMissing();
    const { candidate, scoped } = await this.database.read(principal, async (db) => {
      const user = await this.users.get(db, userId);
      return {
        candidate: await this.users.loginCandidate(db, user.name),
        scoped: await this.properties.effective(db, userId),
      };
    });
    await this.checkOld(principal, body.old_password, candidate?.hash, edge!.remoteAddress);
    const session = await this.sessions.peek(sessionId);
    await this.ownPasswords.changePassword({
      ...{ contextId, userId, scoped, login: principal.login, password: body.new_password },
      ...{ client: session?.client ?? '', address: edge!.remoteAddress },
    });
    // A session of an application password keeps what that gave it.
    if (session?.password !== undefined && session.parameters[SESSION_FACTS.appPassword] === undefined)
      await this.sessions.setPassword(sessionId, body.new_password);
    if (this.cascade.value(PASSWORD_CHANGE_CLOSES, scoped)) await this.closer.byUser(contextId, userId, sessionId);
    return undefined;
  }

  /** Guessing the current password is limited like guessing at the login. */
  private async checkOld(
    { contextId, userId, login }: UserPrincipal,
    password: string,
    hash: string | null | undefined,
    address: string,
  ): Promise<void> {
    const attempted = { account: `password of ${accountOf(contextId, userId)}`, address };
    const isRight = await this.limits.attempt(attempted, login, async () => {
      const { correct } = await this.passwords.check(password, hash ?? undefined);
      return correct || undefined;
    });
    if (!isRight) throw DirectoryErrors.wrongPassword();
  }
}
