import { sessionmanagement, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { detectDevice } from '../sessions/device';
import { OwnSessions } from '../sessions/own-sessions';

/** The sessions of the user. */
@Handles(sessionmanagement.all)
export class SessionManagementAllHandler implements Handler<typeof sessionmanagement.all> {
  constructor(private readonly own: OwnSessions) {}

  async handle({ principal }: CallOf<typeof sessionmanagement.all>) {
    return (await this.own.listVisible(principal)).map((session) => ({
      sessionId: session.id,
      ipAddress: session.ip,
      client: session.client,
      ctxId: session.contextId,
      userId: session.userId,
      loginTime: session.createdAt,
      lastActive: session.lastActive,
      userAgent: session.userAgent,
      location: 'unknown',
      device: detectDevice(session.client, session.userAgent),
    }));
  }
}
