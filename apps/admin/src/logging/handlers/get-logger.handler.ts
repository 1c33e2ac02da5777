import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GlobalLoggers } from '../global-loggers';

type Operation = typeof logging.getLogger;

/** The level that holds for a logger. */
@Handles(logging.getLogger)
export class GetLoggerHandler implements Handler<Operation> {
  constructor(private readonly loggers: GlobalLoggers) {}

  async handle({ query }: CallOf<Operation>) {
    return this.loggers.getLevel(query.logger);
  }
}
