import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { LogOverviews } from '../log-overviews';

type Operation = typeof logging.listUsersLoggers;

/** The users of a context whose loggers have levels of their own. */
@Handles(logging.listUsersLoggers)
export class ListUsersLoggersHandler implements Handler<Operation> {
  constructor(private readonly overviews: LogOverviews) {}

  async handle({ query }: CallOf<Operation>) {
    return this.overviews.listUsers(query.contextId);
  }
}
