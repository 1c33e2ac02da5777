import { mailFilter, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter?action=deletescript`: removes all rules. */
@Handles(mailFilter.deletescript)
export class DeletescriptHandler implements Handler<typeof mailFilter.deletescript> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilter.deletescript>) {
    return this.filters.clear(call, 'v1');
  }
}
