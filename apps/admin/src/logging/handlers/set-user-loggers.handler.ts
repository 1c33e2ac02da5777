import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ScopedLoggers, toScopeKey } from '../scoped-loggers';

type Operation = typeof logging.setUserLoggers;

/** Sets levels of loggers of a user. */
@Handles(logging.setUserLoggers)
export class SetUserLoggersHandler implements Handler<Operation> {
  constructor(private readonly loggers: ScopedLoggers) {}

  async handle({ query, body }: CallOf<Operation>) {
    return this.loggers.setLevels(toScopeKey(query), body);
  }
}
