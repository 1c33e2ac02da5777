import {
  DirectoryErrors,
  PASSWORD_CHANGE_CLOSES,
  passwordchange,
  RequestErrors,
  type CallOf,
  type Handler,
  type PasswordChangeBody,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { SESSION_FACTS, SessionStore, signOnOf } from '@groupware/sessions';
import { Passwords } from '../domain/passwords';
import { toAccountKey } from '../attempts/account-attempts';
import { Cascade, type ScopedValues } from '../configuration/cascade';
import { LoginLimits } from '../attempts/login-limits';
import { OwnPasswords } from '../provisioning/own-passwords';
import { PropertyRepository } from '../configuration/property.repository';
import { GuestPasswords } from '../guests/guest-passwords';
import { GuestRepository } from '../persistence/guest.repository';
import { UserRepository } from '../persistence/user.repository';
import { SessionCloser } from '../sessions/session-closer';

/** Changes the password of the user or named guest. */
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
    private readonly guests: GuestRepository,
    private readonly guestPasswords: GuestPasswords,
    private readonly sessions: SessionStore,
    private readonly closer: SessionCloser,
  ) {}

  async handle({ principal, body, edge }: CallOf<typeof passwordchange.update>) {
    const address = edge!.remoteAddress;
    const scoped = principal.guest
      ? await this.changeOfGuest(principal, body, address)
      : await this.changeOfUser(principal, body, address);
    const { contextId, userId, sessionId } = principal;
    if (this.cascade.value(PASSWORD_CHANGE_CLOSES, scoped)) await this.closer.closeByUser(contextId, userId, sessionId);
    return undefined;
  }

  /** Answers the configuration of the user. */
  private async changeOfUser(
    principal: UserPrincipal,
    body: PasswordChangeBody,
    address: string,
  ): Promise<ScopedValues> {
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
    await this.requireOldPassword(principal, body.old_password, candidate?.hash, address);
    const isChanged = await this.ownPasswords.changePassword({
      ...{ contextId, userId, scoped, login: principal.login, password: body.new_password },
      ...{ checkedHash: candidate!.hash!, client: session?.client ?? '', address },
    });
    if (!isChanged) throw DirectoryErrors.wrongPassword();
    // Sessions of application passwords keep their facts.
    if (session?.password !== undefined && session.parameters[SESSION_FACTS.appPassword] === undefined)
      await this.sessions.setPassword(sessionId, body.new_password);
    return scoped;
  }

  /** Answers the configuration of the context. */
  private async changeOfGuest(
    principal: UserPrincipal,
    body: PasswordChangeBody,
    address: string,
  ): Promise<ScopedValues> {
    const { contextId, userId } = principal;
    const { guest, scoped } = await this.database.read(principal, async (db) => ({
      guest: await this.guests.findById(db, userId),
      scoped: await this.properties.getEffective(db, 0),
    }));
    // The pin of a link is set by the user who shares it.
    if (!guest || guest.email === null) throw RequestErrors.noModulePermission('passwordchange');
    const { passwordHash } = guest;
    if (passwordHash !== null && !body.old_password) throw DirectoryErrors.passwordMissing();
    if (!body.new_password) throw DirectoryErrors.newPasswordMissing();
    if (passwordHash !== null) await this.requireOldPassword(principal, body.old_password!, passwordHash, address);
    if (!(await this.guestPasswords.setPassword(contextId, guest, body.new_password, scoped)))
      throw DirectoryErrors.wrongPassword();
    return scoped;
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
