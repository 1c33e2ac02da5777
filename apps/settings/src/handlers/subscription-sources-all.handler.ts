import { subscriptionSources, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `all`: sources to subscribe to. */
@Handles(subscriptionSources.all)
export class SubscriptionSourcesAllHandler implements Handler<typeof subscriptionSources.all> {
  handle() {
    return Promise.resolve([]);
  }
}
