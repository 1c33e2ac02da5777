import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ScopedLoggers, toScopeKey } from '../scoped-loggers';

type Operation = typeof logging.listSessionLoggers;

/** The loggers of a session that have a level. */
@Handles(logging.listSessionLoggers)
export class ListSessionLoggersHandler implements Handler<Operation> {
  constructor(private readonly loggers: ScopedLoggers) {}

  async handle({ query }: CallOf<Operation>) {
    return this.loggers.listLevels(toScopeKey(query));
  }
}
