import { chronosAlarms, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ChronosAlarmAckHandler } from './chronos-alarm-ack.handler';

/** `chronos/alarm?action=ack` by PUT, as clients call it. */
@Handles(chronosAlarms.ackByPut)
export class ChronosAlarmAckByPutHandler
  extends ChronosAlarmAckHandler
  implements Handler<typeof chronosAlarms.ackByPut>
{
  // The decorator of a handler looks for the method in the class itself.
  override handle(call: CallOf<typeof chronosAlarms.ackByPut>) {
    return super.handle(call);
  }
}
