import { Injectable } from '@nestjs/common';
import { PASSWORD_CHANGE_ENDS_APP_PASSWORDS } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { AppPasswordRepository } from '../app-passwords/app-password.repository';
import { AppPasswords } from '../app-passwords/app-passwords';
import { checkPassword } from '../domain/password-policy';
import { Passwords } from '../domain/passwords';
import { UserRepository } from '../persistence/user.repository';
import { UserEditor } from './user-editor';
import { Cascade, type ScopedValues } from '../configuration/cascade';
import { PasswordPolicies } from '../configuration/password-policies';

/** A password that its user chose, and where it came from. */
export interface OwnPasswordChange {
  readonly contextId: number;
  readonly userId: number;
  /** Login name, for the audit log. */
  readonly login: string;
  readonly password: string;
  /** Hash that the former password was checked against. */
  readonly checkedHash: string;
  /** Configuration of the user. */
  readonly scoped: ScopedValues;
  readonly client: string;
  readonly address: string;
}

/** Stores passwords that users change themselves. */
@Injectable()
export class OwnPasswords {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly cascade: Cascade,
    private readonly rules: PasswordPolicies,
    private readonly passwords: Passwords,
    private readonly users: UserRepository,
    private readonly editor: UserEditor,
    private readonly appPasswords: AppPasswords,
    private readonly appPasswordRows: AppPasswordRepository,
  ) {}

  /**
   * Stores the password, and ends the application passwords of the user unless configured otherwise; false when another
   * password was set since the former one was checked.
   * @throws USR-0015, USR-0020, USR-0021, USR-0026 for a password against the rules
   */
  async changePassword(change: OwnPasswordChange): Promise<boolean> {
    const { contextId, userId, login, password, checkedHash, scoped, client, address } = change;
    await checkPassword(password, this.rules.resolvePolicy(scoped));
    const hash = await this.passwords.hash(password);
    const endsApps = this.cascade.value(PASSWORD_CHANGE_ENDS_APP_PASSWORDS, scoped);
    const actor = { name: login, userId, seesAllContexts: false, client, address };
    const isChanged = await this.database.transact({ contextId }, async (tx) => {
      await this.users.lock(tx, userId);
      if (!(await this.users.replaceHash(tx, userId, checkedHash, hash))) return false;
      if (endsApps) await this.appPasswordRows.deleteByUser(tx, userId);
      await this.editor.setPassword(tx, userId, hash, false, actor);
      return true;
    });
    if (isChanged && endsApps) await this.appPasswords.endSessions(contextId, userId);
    return isChanged;
  }
}
