import { mailAccount, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Accounts } from '../accounts/accounts';

/** `get`: reads one account. */
@Handles(mailAccount.get)
export class GetHandler implements Handler<typeof mailAccount.get> {
  constructor(private readonly accounts: Accounts) {}

  async handle({ principal, query }: CallOf<typeof mailAccount.get>) {
    return (await this.accounts.getAccount(principal, query.id)).view;
  }
}
