import { contactUsers, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { UserContacts } from '../users/user-contacts';

/** `refresh`: takes over the data of users into their contacts. */
@Handles(contactUsers.refresh)
export class RefreshHandler implements Handler<typeof contactUsers.refresh> {
  constructor(private readonly users: UserContacts) {}

  async handle({ principal, query }: CallOf<typeof contactUsers.refresh>): Promise<boolean> {
    await this.users.refresh(principal, query.ids);
    return true;
  }
}
