import { chronosAlarms, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ChronosAlarmSnoozeHandler } from './chronos-alarm-snooze.handler';

/** `chronos/alarm?action=snooze` by PUT, as clients call it. */
@Handles(chronosAlarms.snoozeByPut)
export class ChronosAlarmSnoozeByPutHandler
  extends ChronosAlarmSnoozeHandler
  implements Handler<typeof chronosAlarms.snoozeByPut>
{
  // The decorator of a handler looks for the method in the class itself.
  override handle(call: CallOf<typeof chronosAlarms.snoozeByPut>) {
    return super.handle(call);
  }
}
