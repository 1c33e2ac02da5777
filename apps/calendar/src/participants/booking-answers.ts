import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { CONFIRM } from '../domain/appointment';
import { bookingRight, isDelegate } from '../domain/booking-right';
import type { BookingAnswer } from '../domain/reschedule';

/** What resources answer, and who answers for them. Asks another service: use it before a transaction. */
@Injectable()
export class BookingAnswers {
  constructor(private readonly directory: Directory) {}

  /**
   * What resources that are booked already answer when the user books them for another time: they accept, or wait for
   * whoever manages them. Undefined for a user who may not book them: their answer stays.
   */
  async of(user: UserPrincipal, resources: readonly number[]): Promise<BookingAnswer> {
    if (resources.length === 0) return () => undefined;
    const found = await this.directory.entities(user, [...new Set(resources)]);
    return (id) => {
      const resource = found.get(id);
      const right = resource?.kind === 'resource' ? bookingRight(resource, user) : 'none';
      return right === 'none' ? undefined : right === 'ask' ? CONFIRM.none : CONFIRM.accepted;
    };
  }

  /** True for a user who answers the bookings of a resource. */
  async mayAnswer(user: UserPrincipal, resourceId: number): Promise<boolean> {
    const resource = (await this.directory.entities(user, [resourceId])).get(resourceId);
    return resource?.kind === 'resource' && isDelegate(resource, user);
  }
}
