import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ScopedLoggers, toScopeKey } from '../scoped-loggers';

type Operation = typeof logging.getSessionLogger;

/** The level of a logger of a session. */
@Handles(logging.getSessionLogger)
export class GetSessionLoggerHandler implements Handler<Operation> {
  constructor(private readonly loggers: ScopedLoggers) {}

  async handle({ query }: CallOf<Operation>) {
    return this.loggers.getLevel(toScopeKey(query), query.logger);
  }
}
