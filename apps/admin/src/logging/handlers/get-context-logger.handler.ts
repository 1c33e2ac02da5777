import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ScopedLoggers, toScopeKey } from '../scoped-loggers';

type Operation = typeof logging.getContextLogger;

/** The level of a logger of a context. */
@Handles(logging.getContextLogger)
export class GetContextLoggerHandler implements Handler<Operation> {
  constructor(private readonly loggers: ScopedLoggers) {}

  async handle({ query }: CallOf<Operation>) {
    return this.loggers.getLevel(toScopeKey(query), query.logger);
  }
}
