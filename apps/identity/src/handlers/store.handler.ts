import { login, reply, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** No-op: cookies are set at login, but older clients still call it. */
@Handles(login.store)
export class StoreHandler implements Handler<typeof login.store> {
  async handle() {
    return reply(undefined, { headers: { Deprecation: 'version="v7.10.3"' } });
  }
}
