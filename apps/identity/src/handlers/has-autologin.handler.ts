import { login, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** Old clients ask before they try. */
@Handles(login.hasAutologin)
export class HasAutologinHandler implements Handler<typeof login.hasAutologin> {
  async handle() {
    return { autologin: true };
  }
}
