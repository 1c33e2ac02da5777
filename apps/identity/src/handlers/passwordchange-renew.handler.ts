import { DirectoryErrors, LoginErrors, passwordchange, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CredentialCheck } from '../authentication/credential-check';
import { OwnPasswords } from '../provisioning/own-passwords';
import { PropertyRepository } from '../configuration/property.repository';

/** Changes a password that has expired. */
@Handles(passwordchange.renew)
export class PasswordRenewHandler implements Handler<typeof passwordchange.renew> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly credentials: CredentialCheck,
    private readonly properties: PropertyRepository,
    private readonly ownPasswords: OwnPasswords,
  ) {}

  async handle({ body, edge }: CallOf<typeof passwordchange.renew>) {
    const { remoteAddress } = edge!;
    const user = await this.credentials.authenticate(body.name, body.old_password, remoteAddress, { expired: true });
    const { contextId, userId } = user;
    const scoped = await this.database.read({ contextId }, (db) => this.properties.getEffective(db, userId));
    if (body.new_password === body.old_password) throw DirectoryErrors.passwordNotAllowed('another password');
    const isChanged = await this.ownPasswords.changePassword({
      ...{ contextId, userId, scoped, login: user.login, password: body.new_password },
      ...{ checkedHash: user.checkedHash!, client: 'renewal', address: remoteAddress },
    });
    if (!isChanged) throw LoginErrors.invalidCredentials();
    return undefined;
  }
}
