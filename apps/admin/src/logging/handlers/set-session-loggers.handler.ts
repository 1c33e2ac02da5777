import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ScopedLoggers, toScopeKey } from '../scoped-loggers';

type Operation = typeof logging.setSessionLoggers;

/** Sets levels of loggers of a session. */
@Handles(logging.setSessionLoggers)
export class SetSessionLoggersHandler implements Handler<Operation> {
  constructor(private readonly loggers: ScopedLoggers) {}

  async handle({ query, body }: CallOf<Operation>) {
    return this.loggers.setLevels(toScopeKey(query), body);
  }
}
