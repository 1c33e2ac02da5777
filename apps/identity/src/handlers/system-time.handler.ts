import { system, type Handler } from '@groupware/contracts';
import { Clock, Handles } from '@groupware/service-kit';

/** Answers `system?action=time`: the server time. */
@Handles(system.time)
export class SystemTimeHandler implements Handler<typeof system.time> {
  constructor(private readonly clock: Clock) {}

  async handle() {
    return this.clock.now();
  }
}
