import { subscriptions, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `all`: subscriptions of the user. */
@Handles(subscriptions.all)
export class SubscriptionsAllHandler implements Handler<typeof subscriptions.all> {
  handle() {
    return Promise.resolve([]);
  }
}
