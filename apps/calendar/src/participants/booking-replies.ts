import { Injectable } from '@nestjs/common';
import { APPOINTMENT_RIGHTS, recordCheck, type UserPrincipal } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { CONFIRM } from '../domain/appointment';
import { bookingRight, isDelegate } from '../domain/booking-right';
import type { BookingReply } from '../domain/reschedule';

/** Replies of booked resources, and the right to give them. Calls another service: use it before a transaction. */
@Injectable()
export class BookingReplies {
  constructor(private readonly directory: Directory) {}

  /**
   * Replies of booked resources when the user books them for another time: they accept, or wait for
   * a delegate. Undefined for a user who may not book them: their reply stays.
   */
  async loadReply(user: UserPrincipal, resources: readonly number[]): Promise<BookingReply> {
    if (resources.length === 0) return () => undefined;
    const found = await this.directory.getEntities(user, [...new Set(resources)]);
    return (id) => {
      const resource = found.get(id);
      const right = resource?.kind === 'resource' ? bookingRight(resource, user) : 'none';
      return right === 'none' ? undefined : right === 'ask' ? CONFIRM.none : CONFIRM.accepted;
    };
  }

  /** True for a user who answers the bookings of a resource. */
  async mayReply(user: UserPrincipal, resourceId: number): Promise<boolean> {
    recordCheck(APPOINTMENT_RIGHTS.reply);
    const resource = (await this.directory.getEntities(user, [resourceId])).get(resourceId);
    return resource?.kind === 'resource' && isDelegate(resource, user);
  }
}
