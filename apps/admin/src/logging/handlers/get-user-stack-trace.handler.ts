import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { StackTraces } from '../stack-traces';

type Operation = typeof logging.getUserStackTrace;

/** Whether errors answered to a user show their stack. */
@Handles(logging.getUserStackTrace)
export class GetUserStackTraceHandler implements Handler<Operation> {
  constructor(private readonly stackTraces: StackTraces) {}

  async handle({ query }: CallOf<Operation>) {
    return this.stackTraces.isEnabled(query.contextId, query.userId);
  }
}
