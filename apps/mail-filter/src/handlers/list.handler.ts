import { mailFilter, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter?action=list`: the rules that can be read, and the others as text. */
@Handles(mailFilter.list)
export class ListHandler implements Handler<typeof mailFilter.list> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilter.list>) {
    return this.filters.read(call, 'v1', (rules) => rules.list(call.query.flag));
  }
}
