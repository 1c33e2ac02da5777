import { appPasswords, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AppPasswords } from '../app-passwords/app-passwords';

/** Application passwords of the user, without the passwords. */
@Handles(appPasswords.list)
export class AppPasswordsListHandler implements Handler<typeof appPasswords.list> {
  constructor(private readonly passwords: AppPasswords) {}

  async handle({ principal }: CallOf<typeof appPasswords.list>) {
    return (await this.passwords.listForUser(principal)).map((row) => ({
      UUID: row.id,
      Scope: row.scope,
      Name: row.name,
      ...(row.lastDevice === null ? {} : { LastDevice: row.lastDevice }),
      ...(row.lastLogin === null ? {} : { LastLogin: new Date(row.lastLogin).toISOString() }),
      ...(row.lastAddress === null ? {} : { IP: row.lastAddress }),
    }));
  }
}
