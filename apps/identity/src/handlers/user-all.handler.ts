import { user, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { UserRows } from '../directory/user-rows';

/** Lists the users of the context. */
@Handles(user.all)
export class UserAllHandler implements Handler<typeof user.all> {
  constructor(private readonly rows: UserRows) {}

  handle({ principal, query }: CallOf<typeof user.all>) {
    return this.rows.readRows(principal, query);
  }
}
