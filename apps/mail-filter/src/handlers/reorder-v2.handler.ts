import { mailFilterV2, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter/v2?action=reorder`: puts rules first. */
@Handles(mailFilterV2.reorder)
export class ReorderV2Handler implements Handler<typeof mailFilterV2.reorder> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilterV2.reorder>) {
    return this.filters.change(call, 'v2', (rules) => {
      rules.reorder(call.body);
      return null;
    });
  }
}
