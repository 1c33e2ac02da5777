import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { StackTraces } from '../stack-traces';

type Operation = typeof logging.setUserStackTrace;

/** Switches stacks in the errors answered to a user. */
@Handles(logging.setUserStackTrace)
export class SetUserStackTraceHandler implements Handler<Operation> {
  constructor(private readonly stackTraces: StackTraces) {}

  async handle({ query, body }: CallOf<Operation>) {
    return this.stackTraces.setEnabled(query.contextId, query.userId, body);
  }
}
