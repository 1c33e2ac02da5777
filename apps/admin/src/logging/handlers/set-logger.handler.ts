import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GlobalLoggers } from '../global-loggers';

type Operation = typeof logging.setLogger;

/** Sets the global level of a logger. */
@Handles(logging.setLogger)
export class SetLoggerHandler implements Handler<Operation> {
  constructor(private readonly loggers: GlobalLoggers) {}

  async handle({ query, body }: CallOf<Operation>) {
    return this.loggers.setLevel(query.logger, body);
  }
}
