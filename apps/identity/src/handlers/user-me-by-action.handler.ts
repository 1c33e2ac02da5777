import { user, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { CurrentUsers } from '../directory/current-users';

/** Reads the user of the session, as `user/me` does. */
@Handles(user.me)
export class UserMeHandler implements Handler<typeof user.me> {
  constructor(private readonly current: CurrentUsers) {}

  handle({ principal }: CallOf<typeof user.me>) {
    return this.current.getCurrentUser(principal);
  }
}
