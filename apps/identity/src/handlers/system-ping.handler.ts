import { system, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** Answers `system?action=ping`: edge, bus and module work. */
@Handles(system.ping)
export class SystemPingHandler implements Handler<typeof system.ping> {
  async handle() {
    return true;
  }
}
