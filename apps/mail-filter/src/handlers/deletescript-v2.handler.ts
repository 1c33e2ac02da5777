import { mailFilterV2, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter/v2?action=deletescript`: removes all rules. */
@Handles(mailFilterV2.deletescript)
export class DeletescriptV2Handler implements Handler<typeof mailFilterV2.deletescript> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilterV2.deletescript>) {
    return this.filters.clear(call, 'v2');
  }
}
