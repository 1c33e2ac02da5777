import { calendarQuota, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AppointmentQuota } from '../appointments/appointment-quota';

/** `usage`: the appointments of the context. */
@Handles(calendarQuota.usage)
export class UsageHandler implements Handler<typeof calendarQuota.usage> {
  constructor(private readonly quota: AppointmentQuota) {}

  handle({ principal }: CallOf<typeof calendarQuota.usage>) {
    return this.quota.getUsage(principal);
  }
}
