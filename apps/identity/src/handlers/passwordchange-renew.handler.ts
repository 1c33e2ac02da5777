import { DirectoryErrors, passwordchange, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { checkPassword } from '../domain/password-policy';
import { Passwords } from '../domain/passwords';
import { CredentialCheck } from '../login/credential-check';
import { PasswordRules } from '../login/password-rules';
import { PropertyRepository } from '../persistence/property.repository';
import { UserEditor } from '../provisioning/user-editor';

/** Changes a password that has expired. */
@Handles(passwordchange.renew)
export class PasswordRenewHandler implements Handler<typeof passwordchange.renew> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly credentials: CredentialCheck,
    private readonly properties: PropertyRepository,
    private readonly editor: UserEditor,
    private readonly passwords: Passwords,
    private readonly rules: PasswordRules,
  ) {}

  async handle({ body, edge }: CallOf<typeof passwordchange.renew>) {
    const { remoteAddress } = edge!;
    const user = await this.credentials.prove(body.name, body.old_password, remoteAddress, { expired: true });
    const { contextId, userId } = user;
    const scoped = await this.database.read({ contextId }, (db) => this.properties.effective(db, userId));
    if (body.new_password === body.old_password) throw DirectoryErrors.passwordNotAllowed('another password');
    checkPassword(body.new_password, this.rules.policy(scoped));
    const hash = await this.passwords.hash(body.new_password);
    await this.database.transact({ contextId }, (tx) =>
      this.editor.setPassword(tx, userId, hash, false, {
        ...{ name: user.login, userId, seesAllContexts: false },
        ...{ client: 'renewal', address: remoteAddress },
      }),
    );
    return undefined;
  }
}
