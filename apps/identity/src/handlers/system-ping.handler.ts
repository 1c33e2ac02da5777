import { system, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `system?action=ping`: the whole way from the edge to a module works. */
@Handles(system.ping)
export class SystemPingHandler implements Handler<typeof system.ping> {
  async handle() {
    return true;
  }
}
