import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ScopedLoggers, toScopeKey } from '../scoped-loggers';

type Operation = typeof logging.removeContextLoggers;

/** Removes all levels of a context. */
@Handles(logging.removeContextLoggers)
export class RemoveContextLoggersHandler implements Handler<Operation> {
  constructor(private readonly loggers: ScopedLoggers) {}

  async handle({ query }: CallOf<Operation>) {
    await this.loggers.removeLevels(toScopeKey(query));
    return undefined;
  }
}
