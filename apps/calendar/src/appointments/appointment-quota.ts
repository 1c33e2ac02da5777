import { MAX_APPOINTMENTS } from '@groupware/contracts';
import { objectQuota } from '@groupware/folders';
import { AppointmentRepository } from '../persistence/appointment.repository';

/**
 * Limits the appointments of a context. Exceptions count as they are rows of their own, of which a series without end may
 * have any number: whatever makes one needs room for it. What is there changes all the same, and deletions, which leave an
 * exception where a user takes himself out of one occurrence, are never refused.
 */
export class AppointmentQuota extends objectQuota({
  limit: MAX_APPOINTMENTS,
  module: 'calendar',
  repository: AppointmentRepository,
}) {}
