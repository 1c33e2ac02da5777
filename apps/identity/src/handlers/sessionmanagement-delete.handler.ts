import { RequestErrors, sessionmanagement, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OwnSessions } from '../sessions/own-sessions';
import { SessionCloser } from '../sessions/session-closer';

/** Ends sessions of the user. A foreign id and an unknown one are refused alike, before anything is ended. */
@Handles(sessionmanagement.delete)
export class SessionManagementDeleteHandler implements Handler<typeof sessionmanagement.delete> {
  constructor(
    private readonly own: OwnSessions,
    private readonly closer: SessionCloser,
  ) {}

  async handle({ principal, body }: CallOf<typeof sessionmanagement.delete>) {
    const mine = new Set((await this.own.listVisible(principal)).map(({ id }) => id));
    // Not SES-0203: clients would consider the session of the request ended.
    if (body.some((id) => !mine.has(id))) throw RequestErrors.badBodyData('no session of this user');
    await this.closer.closeByIds(body);
    return undefined;
  }
}
