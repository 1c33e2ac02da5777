import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ScopedLoggers, toScopeKey } from '../scoped-loggers';

type Operation = typeof logging.listContextLoggers;

/** The loggers of a context that have a level. */
@Handles(logging.listContextLoggers)
export class ListContextLoggersHandler implements Handler<Operation> {
  constructor(private readonly loggers: ScopedLoggers) {}

  async handle({ query }: CallOf<Operation>) {
    return this.loggers.listLevels(toScopeKey(query));
  }
}
