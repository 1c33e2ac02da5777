import { mailFilterV2, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter/v2?action=new`: adds a rule, and answers its id. */
@Handles(mailFilterV2.new)
export class NewV2Handler implements Handler<typeof mailFilterV2.new> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilterV2.new>) {
    return this.filters.change(call, 'v2', (rules, server) => rules.add(call.body, server));
  }
}
