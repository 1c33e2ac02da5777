import { Injectable } from '@nestjs/common';
import { MAX_APPOINTMENTS } from '@groupware/contracts';
import { ObjectQuota } from '@groupware/folders';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { AppointmentRepository } from '../persistence/appointment.repository';

/**
 * Limits the appointments of a context. Exceptions count as they are rows of their own, of which a series without end may
 * have any number: whatever makes one needs room for it. What is there changes all the same, and deletions, which leave an
 * exception where a user takes himself out of one occurrence, are never refused.
 */
@Injectable()
export class AppointmentQuota extends ObjectQuota {
  protected readonly limit = MAX_APPOINTMENTS;
  protected readonly module = 'calendar';

  constructor(
    properties: Properties,
    database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
  ) {
    super(properties, database);
  }

  protected countObjects(db: Reader): Promise<number> {
    return this.appointments.countAppointments(db);
  }
}
