import { system, type Handler } from '@groupware/contracts';
import { Clock, Handles } from '@groupware/service-kit';

/** `system?action=time`: what the clock of the server shows. */
@Handles(system.time)
export class SystemTimeHandler implements Handler<typeof system.time> {
  constructor(private readonly clock: Clock) {}

  async handle() {
    return this.clock.now();
  }
}
