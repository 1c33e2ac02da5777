import { calendarQuota, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AppointmentQuota } from '../appointments/appointment-quota';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** `usage`: the appointments of the context. */
@Handles(calendarQuota.usage)
export class UsageHandler implements Handler<typeof calendarQuota.usage> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly quota: AppointmentQuota,
    private readonly appointments: AppointmentRepository,
  ) {}

  async handle({ principal }: CallOf<typeof calendarQuota.usage>) {
    const [countquota, countuse] = await Promise.all([
      this.quota.getLimit(principal),
      this.database.read(principal, (db) => this.appointments.countAppointments(db)),
    ]);
    return [{ account_id: '0', countquota, countuse }];
  }
}
