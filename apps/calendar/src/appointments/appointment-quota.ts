import { Injectable } from '@nestjs/common';
import { MAX_APPOINTMENTS, QuotaErrors, type Tenant } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { AppointmentRepository } from '../persistence/appointment.repository';

/**
 * Limits the appointments of a context. Exceptions count as they are rows of their own, of which a series without end may
 * have any number: whatever makes one needs room for it. What is there changes all the same, and deletions, which leave an
 * exception where a user takes himself out of one occurrence, are never refused.
 */
@Injectable()
export class AppointmentQuota {
  constructor(
    private readonly properties: Properties,
    private readonly appointments: AppointmentRepository,
  ) {}

  /** Most appointments of the context, below zero without limit. May ask other services: use it before a transaction. */
  getLimit({ contextId }: Tenant): Promise<number> {
    return this.properties.get(MAX_APPOINTMENTS, { contextId });
  }

  /** Number of appointments, where that is limited. The stamp of the transaction keeps others from adding meanwhile. */
  async countUsed(tx: Transaction, limit: number): Promise<number | undefined> {
    return limit < 0 ? undefined : this.appointments.countAppointments(tx);
  }

  /** Refuses appointments that the transaction has created already. @throws QUOTA-0003 */
  async requireRoomFor(tx: Transaction, created: number, limit: number): Promise<void> {
    const used = created > 0 ? await this.countUsed(tx, limit) : undefined;
    if (used !== undefined && used > limit) throw AppointmentQuota.toExceededError(used - created, limit);
  }

  /** The refusal of an appointment beyond the limit. */
  static toExceededError(used: number, limit: number): ReturnType<typeof QuotaErrors.exceeded> {
    return QuotaErrors.exceeded('calendar', used, limit);
  }
}
