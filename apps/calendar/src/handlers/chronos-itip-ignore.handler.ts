import {
  APPOINTMENT_RIGHTS,
  chronosItip,
  waiveCheck,
  type CallOf,
  type EventData,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ItipMessages } from '../scheduling/itip/itip-messages';

/** `chronos/itip?action=ignore`: nothing happens. */
@Handles(chronosItip.ignore)
export class ChronosItipIgnoreHandler implements Handler<typeof chronosItip.ignore> {
  constructor(private readonly messages: ItipMessages) {}

  async handle({ principal, query, body }: CallOf<typeof chronosItip.ignore>): Promise<EventData[]> {
    await this.messages.loadMessage(principal, query, body);
    waiveCheck(APPOINTMENT_RIGHTS.read, 'nothing is told');
    waiveCheck(APPOINTMENT_RIGHTS.reply, 'nothing is changed');
    return [];
  }
}
