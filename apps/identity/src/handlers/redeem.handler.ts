import { login, reply, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** Random tokens are not given out, so none can be right. */
@Handles(login.redeem)
export class RedeemHandler implements Handler<typeof login.redeem> {
  async handle() {
    return reply(undefined, { status: 400 });
  }
}
