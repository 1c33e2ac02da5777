import { messagingServices, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { requireService } from '../domain/messaging-service';

/** `messaging/service?action=get`: reads a messaging service. */
@Handles(messagingServices.get)
export class MessagingServiceGetHandler implements Handler<typeof messagingServices.get> {
  async handle({ query }: CallOf<typeof messagingServices.get>) {
    return requireService(query.id);
  }
}
