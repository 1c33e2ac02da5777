import { guests, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestWithdrawals } from '../guests/guest-withdrawals';

/** Removes guests who have no rights left, and ends their sessions. */
@Handles(guests.withdraw)
export class WithdrawGuestsHandler implements Handler<typeof guests.withdraw> {
  constructor(private readonly withdrawals: GuestWithdrawals) {}

  async handle({ principal, query }: CallOf<typeof guests.withdraw>): Promise<boolean> {
    await this.withdrawals.removeWithoutRights(principal, query);
    return true;
  }
}
