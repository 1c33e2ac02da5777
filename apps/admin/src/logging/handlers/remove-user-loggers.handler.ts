import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ScopedLoggers, toScopeKey } from '../scoped-loggers';

type Operation = typeof logging.removeUserLoggers;

/** Removes all levels of a user. */
@Handles(logging.removeUserLoggers)
export class RemoveUserLoggersHandler implements Handler<Operation> {
  constructor(private readonly loggers: ScopedLoggers) {}

  async handle({ query }: CallOf<Operation>) {
    await this.loggers.removeLevels(toScopeKey(query));
    return undefined;
  }
}
