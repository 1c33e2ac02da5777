import { mailFilterV2, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter/v2?action=list`: the rules that can be read, and the others as text. */
@Handles(mailFilterV2.list)
export class ListV2Handler implements Handler<typeof mailFilterV2.list> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilterV2.list>) {
    return this.filters.read(call, 'v2', (rules) => rules.list(call.query.flag));
  }
}
