import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of pushed scheduling mails. */
export class PushedMailConfig {
  @Setting({
    env: 'PUSH_MAIL_MAX_CALENDAR_BYTES',
    doc: 'Largest calendar part of a pushed mail that is looked at; mails with a larger one change nothing, bytes',
  })
  @IsInt()
  @Min(1024)
  // It travels in a message to the calendar.
  @Max(400_000)
  maxCalendarBytes = 262_144;

  @Setting({
    env: 'PUSH_MAIL_RETRY_MS',
    doc: 'Pause before a pushed mail that could not be applied is tried again, ms; it doubles each time, up to an hour',
  })
  @IsInt()
  @Min(10)
  retryMs = 2_000;

  @Setting({ env: 'PUSH_MAIL_LIFE_MS', doc: 'A pushed mail that could not be applied for so long is given up, ms' })
  @IsInt()
  @Min(1_000)
  lifeMs = 86_400_000;
}
