import { logging, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GlobalLoggers } from '../global-loggers';

type Operation = typeof logging.listLoggers;

/** All loggers with the levels that hold for them. */
@Handles(logging.listLoggers)
export class ListLoggersHandler implements Handler<Operation> {
  constructor(private readonly loggers: GlobalLoggers) {}

  async handle() {
    return this.loggers.listLoggers();
  }
}
