import { appPasswords, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AppPasswords } from '../app-passwords/app-passwords';

/** Kinds of applications that passwords can be made for. */
@Handles(appPasswords.getApps)
export class GetAppsHandler implements Handler<typeof appPasswords.getApps> {
  constructor(private readonly passwords: AppPasswords) {}

  async handle(_call: CallOf<typeof appPasswords.getApps>) {
    return this.passwords.listTypes().map(({ name, displayName }, sort) => ({ name, displayName, sort }));
  }
}
