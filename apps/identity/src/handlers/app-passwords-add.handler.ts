import { appPasswords, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AppPasswords } from '../app-passwords/app-passwords';

/** Makes a password for an application. The login name is the one of this session. */
@Handles(appPasswords.add)
export class AppPasswordsAddHandler implements Handler<typeof appPasswords.add> {
  constructor(private readonly passwords: AppPasswords) {}

  async handle({ principal, body }: CallOf<typeof appPasswords.add>) {
    return { ...(await this.passwords.createForSession(principal, body.appScope, body.appName)), newLogin: false };
  }
}
