import { mailFilter, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter?action=new`: adds a rule, and answers its id. */
@Handles(mailFilter.new)
export class NewHandler implements Handler<typeof mailFilter.new> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilter.new>) {
    return this.filters.change(call, 'v1', (rules, server) => rules.add(call.body, server));
  }
}
