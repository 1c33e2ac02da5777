import { currentUser, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { CurrentUsers } from '../directory/current-users';

/** Reads the user of the session. */
@Handles(currentUser.me)
export class CurrentUserHandler implements Handler<typeof currentUser.me> {
  constructor(private readonly current: CurrentUsers) {}

  handle({ principal }: CallOf<typeof currentUser.me>) {
    return this.current.getCurrentUser(principal);
  }
}
