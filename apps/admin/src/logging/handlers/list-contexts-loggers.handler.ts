import { logging, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { LogOverviews } from '../log-overviews';

type Operation = typeof logging.listContextsLoggers;

/** The contexts whose loggers have levels of their own. */
@Handles(logging.listContextsLoggers)
export class ListContextsLoggersHandler implements Handler<Operation> {
  constructor(private readonly overviews: LogOverviews) {}

  async handle() {
    return this.overviews.listContexts();
  }
}
