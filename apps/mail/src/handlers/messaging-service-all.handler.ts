import { messagingServices, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MESSAGING_SERVICES } from '../domain/messaging-service';

/** `messaging/service?action=all`: lists the messaging services. */
@Handles(messagingServices.all)
export class MessagingServiceAllHandler implements Handler<typeof messagingServices.all> {
  async handle(_call: CallOf<typeof messagingServices.all>) {
    return [...MESSAGING_SERVICES];
  }
}
