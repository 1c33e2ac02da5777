import { appPasswords, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AppPasswords } from '../app-passwords/app-passwords';

/** Removes an application password; sessions opened with it end. */
@Handles(appPasswords.remove)
export class AppPasswordsRemoveHandler implements Handler<typeof appPasswords.remove> {
  constructor(private readonly passwords: AppPasswords) {}

  async handle({ principal, body }: CallOf<typeof appPasswords.remove>) {
    await this.passwords.removeAppPassword(principal, body.uuid);
    return { result: 'OK' };
  }
}
