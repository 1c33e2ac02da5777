import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ScopedLoggers, toScopeKey } from '../scoped-loggers';

type Operation = typeof logging.removeSessionLogger;

/** Removes the level of a logger of a session. */
@Handles(logging.removeSessionLogger)
export class RemoveSessionLoggerHandler implements Handler<Operation> {
  constructor(private readonly loggers: ScopedLoggers) {}

  async handle({ query }: CallOf<Operation>) {
    return this.loggers.removeLevel(toScopeKey(query), query.logger);
  }
}
