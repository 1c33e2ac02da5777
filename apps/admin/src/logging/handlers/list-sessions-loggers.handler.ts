import { logging, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { LogOverviews } from '../log-overviews';

type Operation = typeof logging.listSessionsLoggers;

/** The live sessions whose loggers have levels of their own. */
@Handles(logging.listSessionsLoggers)
export class ListSessionsLoggersHandler implements Handler<Operation> {
  constructor(private readonly overviews: LogOverviews) {}

  async handle() {
    return this.overviews.listSessions();
  }
}
