import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ScopedLoggers, toScopeKey } from '../scoped-loggers';

type Operation = typeof logging.setContextLogger;

/** Sets the level of a logger of a context. */
@Handles(logging.setContextLogger)
export class SetContextLoggerHandler implements Handler<Operation> {
  constructor(private readonly loggers: ScopedLoggers) {}

  async handle({ query, body }: CallOf<Operation>) {
    return this.loggers.setLevel(toScopeKey(query), query.logger, body);
  }
}
