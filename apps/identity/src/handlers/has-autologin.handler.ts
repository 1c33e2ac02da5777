import { login, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** Tells older clients whether autologin is possible. */
@Handles(login.hasAutologin)
export class HasAutologinHandler implements Handler<typeof login.hasAutologin> {
  async handle() {
    return { autologin: true };
  }
}
